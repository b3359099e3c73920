import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "#domain/fault.ts";
import { CODE_INDEX_PATH, MACHINE_FOLDER } from "#domain/workspace/path.ts";
import type { IndexProblem } from "#operations/ports/code-index.ts";
import { throwIfCancelled } from "#operations/ports/runner.ts";
import { asFault } from "../files/error.ts";
import { makeMachineFolder } from "../files/machine-folder.ts";
import { tryClaim } from "../sqlite/claim.ts";
import { Database, type Row } from "../sqlite/database.ts";
import { damaged, type Kind } from "../sqlite/database-fault.ts";
import { LAYOUT, TABLES } from "./schema.ts";

export interface IndexPlace {
  readonly root: string;
  /** Another version may parse code differently, so it builds its own index. */
  readonly version: string;
  readonly newId: () => string;
  /** How long to wait for a process that holds the claim without writing. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 15_000;
const STEP_MS = 20;
const COMPANIONS = ["", "-wal", "-shm", "-journal"];

const KIND: Kind = {
  name: "index",
  migrations: [TABLES],
  // An index can be rebuilt, so full syncs are unnecessary.
  // The file may come from the repository: nothing in its schema may run by itself.
  pragmas: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384; PRAGMA trusted_schema = OFF",
  remedy: () => "Build it again: tenon index --full",
};

export const isThere = ({ root }: IndexPlace): boolean => fs.existsSync(join(root, CODE_INDEX_PATH));

export async function openKept(place: IndexPlace): Promise<Database | Exclude<IndexProblem, "unkept">> {
  const file = join(place.root, CODE_INDEX_PATH);
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === 0)) return "missing";
  if (!stat.isFile()) return "damaged";
  const db = new Database(file, KIND);
  try {
    await db.open();
    const problem = problemOf(db, place);
    if (problem === undefined) return db;
    db.close();
    return problem;
  } catch (error) {
    db.close();
    if (!isDamage(db.fault(error))) throw db.fault(error);
    return "damaged";
  }
}

function problemOf(db: Database, place: IndexPlace): "old" | "foreign" | "damaged" | undefined {
  const rows = db.all("SELECT name, value FROM notes WHERE name IN ('layout', 'born')");
  const notes = new Map(rows.map(({ name, value }) => [name, value]));
  if (notes.get("layout") !== layoutOf(place)) return "old";
  if (notes.get("born") !== birthOf(db)) return "foreign";
  return doesMore(db) ? "damaged" : undefined;
}

/**
 * Identifies the file by its inode. A committed or copied index is a different file: it may hold false data under
 * matching hashes.
 */
const birthOf = ({ file }: Database): string => String(fs.statSync(file, { throwIfNoEntry: false })?.ino);

/** Tenon never creates triggers or views. A foreign one could falsify data. */
const doesMore = (db: Database): boolean =>
  db.all("SELECT 1 FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1").length > 0;

/** Replaces the index file with an empty one. Carries over only the summaries, as far as they are readable. */
export async function replaceKept(place: IndexPlace): Promise<Database> {
  const file = join(place.root, CODE_INDEX_PATH);
  const summaries = salvage(file);
  makeMachineFolder(join(place.root, MACHINE_FOLDER), place.newId);
  try {
    for (const end of COMPANIONS) fs.rmSync(`${file}${end}`, { recursive: true, force: true });
  } catch (error) {
    throw asFault(error, file, "write");
  }
  return begun(new Database(file, KIND), place, summaries);
}

/** Opens an index without a file: SQLite keeps it in memory, and in an unnamed file if it grows too large. */
export const openUnkept = (place: IndexPlace): Promise<Database> =>
  begun(new Database("", KIND), place, salvage(join(place.root, CODE_INDEX_PATH)));

async function begun(db: Database, place: IndexPlace, summaries: readonly Row[]): Promise<Database> {
  try {
    await db.open();
    await db.alone(() => {
      db.run("UPDATE notes SET value = ? WHERE name = 'layout'", layoutOf(place));
      db.run("INSERT OR REPLACE INTO notes VALUES ('born', ?)", birthOf(db));
      for (const { key, text, hash, source, at } of summaries)
        db.run(
          "INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)",
          ...[key, text, hash, source, at].map((value) => String(value)),
        );
    });
    return db;
  } catch (error) {
    db.close();
    throw db.fault(error);
  }
}

const layoutOf = ({ version }: IndexPlace): string => `${LAYOUT} ${version}`;

function salvage(file: string): Row[] {
  try {
    if (!fs.lstatSync(file).isFile()) return [];
    return new Database(file, KIND).look((all) => all("SELECT key, text, hash, source, at FROM summaries")) ?? [];
  } catch {
    return [];
  }
}

const DAMAGE = new Set(["database.corrupt", "database.newer"]);
const OBSTACLES = new Set(["disk.full", "database.unusable", "files.unwritable", "database.busy"]);

export const goneMeanwhile = ({ root }: IndexPlace): Fault =>
  damaged(join(root, CODE_INDEX_PATH), KIND, "it is not there any more");

/** A missing table counts as damage too. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Fault
    ? DAMAGE.has(error.code)
    : error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";

export const isObstacle = (error: unknown): boolean => error instanceof Fault && OBSTACLES.has(error.code);

/**
 * Claims the right to update the index. Waits for another holder as long as it keeps writing. Returns nothing if the
 * holder stalls.
 */
export async function takeTurn(place: IndexPlace, cancelled: AbortSignal): Promise<Disposable | undefined> {
  const folder = join(place.root, MACHINE_FOLDER);
  try {
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error("It is a link.");
    makeMachineFolder(folder, place.newId);
  } catch (error) {
    throw asFault(error, folder, "write");
  }
  const patience = place.patienceMs ?? PATIENCE_MS;
  let [seen, deadline] = [traceOf(place.root), performance.now() + patience];
  for (;;) {
    throwIfCancelled({ cancelled });
    const held = tryClaim(join(folder, "index.claim"));
    if (held) return held;
    const now = traceOf(place.root);
    if (now !== seen) [seen, deadline] = [now, performance.now() + patience];
    if (performance.now() > deadline) return undefined;
    await sleep(STEP_MS);
  }
}

function traceOf(root: string): string {
  return COMPANIONS.map((end) => {
    const stat = fs.statSync(join(root, `${CODE_INDEX_PATH}${end}`), { throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.size}-${stat.mtimeMs}`;
  }).join(" ");
}
