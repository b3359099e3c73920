import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { syncFile, syncFolder } from "#kernel/adapters/durable-file.ts";
import { tryFileClaim } from "#kernel/adapters/file-claim.ts";
import { withFileFault } from "#kernel/model/system-error.ts";
import { type DatabaseReader, describeForeignObject, FOREIGN_OBJECTS } from "#kernel/adapters/sqlite-database.ts";
import type { LedgerObserver } from "../operations/engine.ts";
import type { LedgerRestore, LedgerSpace } from "../operations/ports/store.ts";
import { type Ledger, LEDGER_MIGRATIONS, listSpaceValues } from "./sqlite-ledger.ts";

const MAX_COPIES = 10;
/** Copies of a ledger that was lost. They stay until `restore` has used them. */
const MAX_LOST_COPIES = 3;
/** Without a stage boundary, a copy is due after so many events. */
const EVENTS_PER_COPY = 50;
const STAGE_BOUNDARY =
  "kind IN ('workflow.started', 'workflow.abandoned', 'workflow.rolled-back', 'ledger.restored') OR kind GLOB '*.stage-completed' OR kind GLOB '*.completed'";
/** Events after the copy are lost. Their numbers are not given again, because observers remember them. */
const SKIPPED_NUMBERS = 10_000;
const COPY_NAME = /^(lost-)?(\d{12})\.db$/;

interface LedgerCopy {
  readonly file: string;
  readonly seq: number;
  readonly isLost: boolean;
}

/** Beside the ledger's folder in git's own, so that moving the ledger away leaves its copies. */
function locateCopies(ledger: string): string {
  const folder = dirname(ledger);
  return basename(folder) === "tenon" ? `${folder}-copies` : join(folder, "copies");
}

/** Newest first; those of a lost ledger last. */
function listLedgerCopies(folder: string): LedgerCopy[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .flatMap((name): LedgerCopy[] => {
      const [, lost, seq] = COPY_NAME.exec(name) ?? [];
      return seq === undefined ? [] : [{ file: join(folder, name), seq: Number(seq), isLost: lost !== undefined }];
    })
    .toSorted((a, b) => Number(a.isLost) - Number(b.isLost) || b.seq - a.seq);
}

/** The first damage that SQLite or JSON shows. Undefined for a sound ledger. */
export function findLedgerDamage(db: DatabaseReader): string | undefined {
  const check = String(Object.values(db.all("PRAGMA integrity_check(1)")[0] ?? {})[0]);
  if (check !== "ok") return check;
  const foreign = describeForeignObject(db.all(FOREIGN_OBJECTS)[0]);
  if (foreign !== undefined) return foreign;
  const columns = { kept: "body", intents: "body", events: "data" };
  const broken = Object.entries(columns).find(
    ([table, column]) => db.all(`SELECT 1 FROM ${table} WHERE NOT json_valid(${column}) LIMIT 1`).length > 0,
  );
  return broken && `a row of the table ${broken[0]} is unreadable`;
}

/** Reads a copy, or gives undefined if it is damaged or of another schema. */
function readCopy<T>(file: string, read: (db: DatabaseReader) => T): T | undefined {
  try {
    using connection = new DatabaseSync(file, { readOnly: true });
    const db: DatabaseReader = { all: (sql, ...values) => connection.prepare(sql).all(...values) };
    const version = Number(db.all("PRAGMA user_version")[0]?.["user_version"]);
    const isKnown = version >= 2 && version <= LEDGER_MIGRATIONS.length;
    return isKnown && findLedgerDamage(db) === undefined ? read(db) : undefined;
  } catch {
    return undefined;
  }
}

/** Copies the ledger at stage boundaries. Hooks have no observers, so none waits for a copy. */
export const createCopyObserver = (ledger: Ledger): LedgerObserver => ({
  name: "the copy of the ledger",
  async catchUp() {
    const folder = locateCopies(ledger.file);
    const newest = listLedgerCopies(folder).find(({ isLost }) => !isLost)?.seq ?? 0;
    const isDue = ledger.look((all) => {
      const sql = `SELECT count(*) AS n, total(${STAGE_BOUNDARY}) AS ends FROM events WHERE seq > ?`;
      const [{ n, ends } = {}] = all(sql, newest);
      const last = Number(all("SELECT max(seq) AS seq FROM events")[0]?.["seq"] ?? 0);
      return last < newest || Number(n) >= EVENTS_PER_COPY || Number(ends) > 0;
    });
    if (isDue) copyLedger(ledger.file, folder);
  },
});

function copyLedger(ledger: string, folder: string): void {
  using claim = tryFileClaim(join(dirname(ledger), "copy.claim"));
  // Another process makes a copy at this moment.
  if (!claim) return;
  withFileFault(folder, "write", () => {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A killed process leaves its unfinished copy.
    for (const name of fs.readdirSync(folder)) if (name.endsWith(".tmp")) fs.rmSync(join(folder, name));
    const temporary = join(folder, "copy.tmp");
    try {
      const seq = writeVerifiedCopy(ledger, temporary);
      const known = listLedgerCopies(folder);
      const isFresh = known.some((copy) => !copy.isLost && copy.seq > seq);
      // The ledger began again from nothing: the copies of the one before may still restore it.
      if (isFresh) for (const copy of known) if (!copy.isLost) renameAsLost(copy);
      fs.renameSync(temporary, join(folder, `${String(seq).padStart(12, "0")}.db`));
      syncFolder(folder);
    } finally {
      fs.rmSync(temporary, { force: true });
    }
    const [lost, own] = [true, false].map((isLost) =>
      listLedgerCopies(folder).filter((copy) => copy.isLost === isLost),
    );
    const kept = lost?.slice(0, MAX_LOST_COPIES) ?? [];
    const spare = [...(lost?.slice(kept.length) ?? []), ...(own?.slice(MAX_COPIES - kept.length) ?? [])];
    for (const { file } of spare) fs.rmSync(file, { force: true });
  });
}

const renameAsLost = ({ file }: LedgerCopy): void => fs.renameSync(file, join(dirname(file), `lost-${basename(file)}`));

function writeVerifiedCopy(ledger: string, temporary: string): number {
  {
    using source = new DatabaseSync(ledger, { readOnly: true, timeout: 1000 });
    source.prepare("VACUUM INTO ?").run(temporary);
  }
  const seq = readCopy(temporary, (db) => Number(db.all("SELECT max(seq) AS seq FROM events")[0]?.["seq"] ?? 0));
  if (seq === undefined) throw new Error("The new copy is damaged, so Tenon keeps the older copies. Run: tenon doctor");
  fs.chmodSync(temporary, 0o600);
  syncFile(temporary);
  return seq;
}

/** Until the last rename the damaged ledger is in its place, so a killed process has changed nothing. */
export function restoreLedgerFile(ledger: Ledger, isSound: boolean, at: string): LedgerRestore {
  const { file } = ledger;
  const folder = locateCopies(file);
  const copies = listLedgerCopies(folder);
  const good = copies.find((copy) => readCopy(copy.file, () => true));
  const newest = good && describeCopy(good);
  if (isSound) return { isReplaced: false, ...(newest ? { copy: newest } : {}), damagedCopies: [] };
  ledger.close();
  return withFileFault(file, "write", () => {
    const damaged = copies.slice(0, good ? copies.indexOf(good) : copies.length);
    for (const copy of damaged) fs.renameSync(copy.file, `${copy.file}.damaged`);
    const temporary = `${file}.restore`;
    if (good) prepareRestore(good, temporary);
    const aside = setAside(file, `${file}.damaged-${at.replaceAll(":", "-")}`);
    if (good) fs.renameSync(temporary, file);
    else fs.rmSync(file, { force: true });
    syncFolder(dirname(file));
    const damagedCopies = damaged.map((copy) => `${copy.file}.damaged`);
    return {
      isReplaced: good !== undefined || aside !== undefined,
      ...(newest ? { copy: newest } : {}),
      ...(aside ? { aside } : {}),
      damagedCopies,
    };
  });
}

function prepareRestore({ file }: LedgerCopy, temporary: string): void {
  fs.mkdirSync(dirname(temporary), { recursive: true, mode: 0o755 });
  for (const end of ["", "-journal"]) fs.rmSync(`${temporary}${end}`, { force: true });
  fs.copyFileSync(file, temporary);
  fs.chmodSync(temporary, 0o600);
  {
    using db = new DatabaseSync(temporary);
    db.exec(`UPDATE sqlite_sequence SET seq = seq + ${SKIPPED_NUMBERS} WHERE name = 'events'`);
  }
  syncFile(temporary);
}

/** The log of the damaged ledger must go before the restored one comes: SQLite would apply it. */
function setAside(file: string, aside: string): string | undefined {
  const found = ["", "-wal", "-shm"].filter((end) => fs.existsSync(`${file}${end}`));
  for (const end of found) linkOrCopy(`${file}${end}`, `${aside}${end}`);
  for (const end of found) if (end !== "") fs.rmSync(`${file}${end}`, { force: true });
  return found.includes("") ? aside : undefined;
}

/** A link needs no space. Not every file system has links. */
function linkOrCopy(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch {
    fs.copyFileSync(from, to);
    syncFile(to);
  }
}

function describeCopy({ file }: LedgerCopy): NonNullable<LedgerRestore["copy"]> {
  return {
    file,
    at: readCopy(file, (db) => db.all("SELECT max(at) AS at FROM events")[0]?.["at"] as string | null) ?? "",
    kept: <T>({ name }: LedgerSpace<T>) =>
      (readCopy(file, (db) => listSpaceValues(db, name)) ?? new Map()) as Map<string, T>,
  };
}
