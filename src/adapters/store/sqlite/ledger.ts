import { dirname } from "node:path";
import { quoteShellWord } from "#domain/quote.ts";
import { SqliteDatabase } from "./database.ts";
import type { DatabaseKind } from "./database-fault.ts";
import { LEDGER_MIGRATIONS } from "./ledger-migrations.ts";

export const LEDGER_KIND: DatabaseKind = {
  name: "ledger",
  migrations: LEDGER_MIGRATIONS,
  remedy(file) {
    const folder = dirname(file);
    return `Stop Tenon's servers, move the folder aside (mv ${quoteShellWord(folder)} ${quoteShellWord(`${folder}.damaged`)}) and run the command again: records under sdd/ are not in it.`;
  },
};

/** The database that all worktrees of a repository share. */
export class Ledger extends SqliteDatabase {
  constructor(file: string) {
    super(file, LEDGER_KIND);
  }
}
