import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { MemoryImportResult } from "../model/memory-records.ts";
import type { MemoryStore } from "../operations/ports/memory.ts";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { day, type MemoryPlace } from "./place.contract.ts";
import { SqliteMemory } from "./sqlite-memory.ts";

export interface SqlitePlace extends MemoryPlace {
  /** Where files are named from. */
  readonly folder: string;
  readonly file: string;
  open(): SqliteMemory;
  /** Lets go of the files, so that they can be meddled with. */
  close(): void;
}

export function makePlace(): SqlitePlace {
  const folder = temporaryFolder();
  const file = join(folder.path, "data", "tenon", "memory.db");
  const open: SqliteMemory[] = [];
  const close = (): void => open.splice(0).forEach((memory) => memory[Symbol.dispose]());
  return {
    folder: folder.path,
    file,
    open() {
      const memory = new SqliteMemory(file, folder.path);
      open.push(memory);
      return memory;
    },
    close,
    [Symbol.dispose]() {
      close();
      folder[Symbol.dispose]();
    },
  };
}

/** Changes a database as somebody does who is not this version of Tenon. */
export function meddle(file: string, sql: string): void {
  using db = new DatabaseSync(file);
  db.exec(sql);
}

let exports = 0;

/** Exports into a file that nobody has yet. */
export async function exportOf(memory: MemoryStore, { folder }: SqlitePlace): Promise<{ file: string; text: string }> {
  const { file } = await memory.exportTo(join(folder, `export-${++exports}.jsonl`));
  return { file, text: fs.readFileSync(file, "utf8") };
}

/** Imports as it stands: nothing has to be taken out. */
export const take = (memory: MemoryStore, file: string, at = day(100)): Promise<MemoryImportResult> =>
  memory.importFrom(file, async (text) => text, at);

/** What an import of so many does, but for what is said. */
export const tally = (read: number, said: Partial<MemoryImportResult> = {}): MemoryImportResult => ({
  kind: "an export of Tenon",
  read,
  added: 0,
  updated: 0,
  unchanged: 0,
  buried: 0,
  ...said,
});
