import fs from "node:fs";
import { join, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "#kernel/model/fault.ts";
import { CODE_INDEX_PATH, MACHINE_FOLDER, CODE_INDEX_EXPORT_PATH } from "#kernel/model/workspace-paths.ts";
import type { IndexProblem, ReplacedCopy } from "../../operations/ports/code-index.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { toFileFault } from "#kernel/model/system-error.ts";
import { makeMachineFolder, WorkspaceFiles } from "#kernel/adapters/workspace-files.ts";
import { tryFileClaim } from "#kernel/adapters/file-claim.ts";
import { SqliteDatabase, type DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { createDamagedFault, type DatabaseKind } from "#kernel/adapters/database-fault.ts";
import { INDEX_LAYOUT, CREATE_INDEX_TABLES } from "./index-tables.ts";
import { createHash } from "node:crypto";
import { EXPORT_SCHEMA_VERSION } from "../../model/index/index-export.ts";

export interface CodeIndexOptions {
  readonly root: string;
  /** Another version may parse code differently, so it builds its own index. */
  readonly version: string;
  readonly newId: () => string;
  /** How long to wait for a process that holds the claim without writing. */
  readonly patienceMs?: number;
}

const INDEX_CLAIM_PATIENCE_MS = 15_000;
const INDEX_CLAIM_POLL_MS = 20;
const DATABASE_SUFFIXES = ["", "-wal", "-shm", "-journal"];

const INDEX_DATABASE_KIND: DatabaseKind = {
  name: "index",
  migrations: [CREATE_INDEX_TABLES],
  // An index can be rebuilt, so full syncs are unnecessary.
  // The file may come from the repository: nothing in its schema may run by itself.
  pragmas: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384; PRAGMA trusted_schema = OFF",
  remedy: () => "Build it again: tenon index --full",
};

export async function openIndexFile(
  place: CodeIndexOptions,
): Promise<SqliteDatabase | Exclude<IndexProblem, "unkept">> {
  const file = join(place.root, CODE_INDEX_PATH);
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === 0)) return "missing";
  if (!stat.isFile()) return "damaged";
  const db = new SqliteDatabase(file, INDEX_DATABASE_KIND);
  try {
    await db.open();
    const rows = db.all("SELECT name, value FROM notes WHERE name IN ('layout', 'born')");
    const notes = new Map(rows.map(({ name, value }) => [name, value]));
    let problem: Exclude<IndexProblem, "unkept"> | undefined;
    if (notes.get("born") !== readIndexInode(db)) problem = "foreign";
    if (notes.get("layout") !== formatIndexLayout(place)) problem = "old";
    if (problem === undefined) return db;
    db.close();
    return problem;
  } catch (error) {
    db.close();
    if (!isIndexDamage(db.fault(error))) throw db.fault(error);
    return "damaged";
  }
}

/** By inode: a committed or copied index is a different file, which may hold false data under matching hashes. */
const readIndexInode = ({ file }: SqliteDatabase): string => String(fs.statSync(file, { throwIfNoEntry: false })?.ino);

/** Replaces the index file with an empty one. Carries over only the summaries, as far as they are readable. */
export async function replaceIndexFile(place: CodeIndexOptions): Promise<SqliteDatabase> {
  const file = join(place.root, CODE_INDEX_PATH);
  const summaries = salvageSummaries(file);
  makeMachineFolder(join(place.root, MACHINE_FOLDER), place.newId);
  try {
    for (const end of DATABASE_SUFFIXES) fs.rmSync(`${file}${end}`, { recursive: true, force: true });
  } catch (error) {
    throw toFileFault(error, file, "write");
  }
  return initializeIndexDatabase(new SqliteDatabase(file, INDEX_DATABASE_KIND), place, summaries);
}

/** Opens an index without a file: SQLite keeps it in memory, and in an unnamed file if it grows too large. */
export const openTemporaryIndex = (place: CodeIndexOptions): Promise<SqliteDatabase> =>
  initializeIndexDatabase(
    new SqliteDatabase("", INDEX_DATABASE_KIND),
    place,
    salvageSummaries(join(place.root, CODE_INDEX_PATH)),
  );

async function initializeIndexDatabase(db: SqliteDatabase, place: CodeIndexOptions, summaries: readonly DatabaseRow[]) {
  try {
    await db.open();
    await db.alone(() => {
      db.run("UPDATE notes SET value = ? WHERE name = 'layout'", formatIndexLayout(place));
      db.run("INSERT OR REPLACE INTO notes VALUES ('born', ?)", readIndexInode(db));
      for (const { key, text, hash, source, at } of summaries) {
        const values = [key, text, hash, source, at].map((value) => String(value));
        db.run("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?, ?)", ...values);
      }
    });
    return db;
  } catch (error) {
    db.close();
    throw db.fault(error);
  }
}

const formatIndexLayout = ({ version }: CodeIndexOptions): string => `${INDEX_LAYOUT} ${version}`;

function salvageSummaries(file: string): DatabaseRow[] {
  try {
    if (!fs.lstatSync(file).isFile()) return [];
    const old = new SqliteDatabase(file, INDEX_DATABASE_KIND);
    return old.look((all) => all("SELECT key, text, hash, source, at FROM summaries")) ?? [];
  } catch {
    return [];
  }
}

const INDEX_DAMAGE_CODES = new Set(["database.corrupt", "database.newer"]);
const INDEX_UNWRITABLE_CODES = new Set(["disk.full", "database.unusable", "files.unwritable", "database.busy"]);

export const createIndexGoneFault = ({ root }: CodeIndexOptions): Fault =>
  createDamagedFault(join(root, CODE_INDEX_PATH), INDEX_DATABASE_KIND, "it no longer exists");

/** A missing table counts as damage too. */
export const isIndexDamage = (error: unknown): boolean =>
  error instanceof Fault
    ? INDEX_DAMAGE_CODES.has(error.code)
    : error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";

export const isIndexUnwritable = (error: unknown): boolean =>
  error instanceof Fault && INDEX_UNWRITABLE_CODES.has(error.code);

/** Waits for another holder as long as it keeps writing. Returns nothing if the holder stalls. */
export async function claimIndexUpdate(
  place: CodeIndexOptions,
  cancelled: AbortSignal,
): Promise<Disposable | undefined> {
  const folder = join(place.root, MACHINE_FOLDER);
  try {
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error("It is a link.");
    makeMachineFolder(folder, place.newId);
  } catch (error) {
    throw toFileFault(error, folder, "write");
  }
  const patience = place.patienceMs ?? INDEX_CLAIM_PATIENCE_MS;
  let [seen, deadline] = [fingerprintIndexFiles(place.root), performance.now() + patience];
  for (;;) {
    throwIfCancelled({ cancelled });
    const held = tryFileClaim(join(folder, "index.claim"));
    if (held) return held;
    const now = fingerprintIndexFiles(place.root);
    if (now !== seen) [seen, deadline] = [now, performance.now() + patience];
    if (performance.now() > deadline) return undefined;
    await sleep(INDEX_CLAIM_POLL_MS);
  }
}

function fingerprintIndexFiles(root: string): string {
  return DATABASE_SUFFIXES.map((end) => {
    const stat = fs.statSync(join(root, `${CODE_INDEX_PATH}${end}`), { throwIfNoEntry: false });
    return stat && `${stat.size}-${stat.mtimeMs}`;
  }).join(" ");
}

/** The hash in the trailer distinguishes a torn or edited export from an older one. */
const INDEX_EXPORT_TRAILER = /^([^]*)# tenon:end schema=(\d+) sha256=([0-9a-f]{64})\n$/;
const LEGACY_EXPORT_VERSION = /^ {0,4}version: ["']?[01](?:\.\d+)*["']?\s*$/m;
const EXPORT_TIME_LINE = /^ {2}generated: .*\n/m;

/** Writes `.sdd/index.yaml` through a temporary file. Also deletes temporary files of processes that died. */
export function publishIndexExport({ root, newId }: CodeIndexOptions, copy: string, now: string): ReplacedCopy {
  try {
    const files = new WorkspaceFiles(root);
    makeMachineFolder(files.resolve(MACHINE_FOLDER), newId);
    const place = files.resolve(CODE_INDEX_EXPORT_PATH);
    const replaced = classifyExistingExport(place, copy);
    if (replaced === "same") return { was: replaced };
    const aside = `${place}.corrupt-${now.replaceAll(":", "-")}`;
    if (replaced === "damaged") fs.renameSync(place, aside);
    for (const name of fs.readdirSync(dirname(place)))
      if (/^index\.yaml\..*\.tmp$/.test(name)) fs.rmSync(`${dirname(place)}/${name}`, { force: true });
    const temporary = `${place}.${newId()}.tmp`;
    const trailer = `# tenon:end schema=${EXPORT_SCHEMA_VERSION} sha256=${hashIndexExport(copy)}\n`;
    fs.writeFileSync(temporary, `${copy}${trailer}`, { mode: 0o644 });
    fs.renameSync(temporary, place);
    return replaced === "damaged" ? { was: replaced, aside } : { was: replaced };
  } catch (error) {
    throw toFileFault(error, CODE_INDEX_EXPORT_PATH, "write");
  }
}

const MAX_EXPORT_BYTES = 8 * 1024 * 1024;

function classifyExistingExport(place: string, copy: string): ReplacedCopy["was"] {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!stat) return "missing";
  if (!stat.isFile() || stat.size > MAX_EXPORT_BYTES) return "damaged";
  const text = fs.readFileSync(place, "utf8");
  const [, body = "", schema = "", sum = ""] = INDEX_EXPORT_TRAILER.exec(text) ?? [];
  if (sum !== hashIndexExport(body)) return LEGACY_EXPORT_VERSION.test(text) ? "old" : "damaged";
  if (Number(schema) !== EXPORT_SCHEMA_VERSION) return "old";
  return body.replace(EXPORT_TIME_LINE, "") === copy.replace(EXPORT_TIME_LINE, "") ? "same" : "earlier";
}

const hashIndexExport = (text: string): string => createHash("sha256").update(text).digest("hex");
