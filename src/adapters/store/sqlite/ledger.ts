import { dirname } from "node:path";
import { quoteShellWord } from "#domain/quote.ts";
import { Database } from "./database.ts";
import type { Kind } from "./database-fault.ts";
import { MIGRATIONS } from "./ledger-migrations.ts";

export const LEDGER: Kind = {
  name: "ledger",
  migrations: MIGRATIONS,
  remedy(file) {
    const folder = dirname(file);
    return `Stop Tenon's servers, move the folder aside (mv ${quoteShellWord(folder)} ${quoteShellWord(`${folder}.damaged`)}) and run the command again: records under sdd/ are not in it.`;
  },
};

/** The database that all worktrees of a repository share. */
export class Ledger extends Database {
  constructor(file: string) {
    super(file, LEDGER);
  }
}
