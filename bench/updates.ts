import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

export interface UpdateRate {
  readonly what: string;
  readonly perSecond: number;
  /** Share of the rate that the disk allows for the same syncs alone. */
  readonly ofBare?: number;
  /** Seconds that all but one update in a hundred take at most. */
  readonly p99?: number;
  readonly budget?: number;
}

const MAX_P99_WAIT = 5;

export const isRateKept = ({ perSecond, p99 = 0, budget = 0 }: UpdateRate): boolean =>
  perSecond >= budget && p99 <= MAX_P99_WAIT;

const UPDATE_TOTAL = 400;

/** Each update changes a record and a document, and is on disk when acknowledged. */
export async function measureUpdates(): Promise<UpdateRate[]> {
  const bare = measureBareRate();
  const alone = await measureWorkerRate(1, UPDATE_TOTAL);
  const crowd = await measureWorkerRate(16, UPDATE_TOTAL / 16);
  return [
    { what: "baseline: two SQLite commits (FULL) and two synced files", perSecond: bare },
    { what: "one process, `adr record` in a change", ...alone, ofBare: alone.perSecond / bare, budget: 250 },
    { what: "sixteen processes on one change", ...crowd, ofBare: crowd.perSecond / bare, budget: 150 },
  ];
}

function measureBareRate(): number {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-"));
  const db = new DatabaseSync(join(folder, "bare.db"));
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a TEXT)");
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  const text = "x".repeat(1500);
  const start = performance.now();
  for (let i = 0; i < UPDATE_TOTAL; i++) {
    insert.run(text);
    for (const name of ["record", "document"]) writeSyncedFile(folder, name, text);
    insert.run(text);
  }
  const rate = (UPDATE_TOTAL * 1000) / (performance.now() - start);
  db.close();
  fs.rmSync(folder, { recursive: true });
  return rate;
}

function writeSyncedFile(folder: string, name: string, text: string): void {
  const fd = fs.openSync(join(folder, `${name}.tmp`), "w");
  fs.writeFileSync(fd, text);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync(join(folder, `${name}.tmp`), join(folder, name));
  const parent = fs.openSync(folder, "r");
  fs.fsyncSync(parent);
  fs.closeSync(parent);
}

/** Waits until all workers are ready, and measures until the last one ends. */
async function measureWorkerRate(workers: number, updates: number): Promise<{ perSecond: number; p99: number }> {
  const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-")));
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  const worker = fileURLToPath(new URL("update-worker.ts", import.meta.url));
  const children = Array.from({ length: workers }, () =>
    spawn(
      process.execPath,
      ["--conditions=tenon-source", "--disable-warning=ExperimentalWarning", worker, folder, String(updates)],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    ),
  );
  await Promise.all(children.map((child) => new Promise((ready) => child.stdout.once("data", ready))));
  let text = "";
  for (const child of children) child.stdout.on("data", (chunk: Buffer) => void (text += chunk.toString()));
  const start = performance.now();
  for (const child of children) child.stdin.end();
  const codes = await Promise.all(children.map((child) => new Promise((done) => child.once("close", done))));
  const elapsed = performance.now() - start;
  if (codes.some((code) => code !== 0)) throw new Error(`A worker failed: ${codes.join(", ")}`);
  fs.rmSync(folder, { recursive: true });
  const waits = text
    .trim()
    .split(/\s+/)
    .map(Number)
    .toSorted((a, b) => a - b);
  const p99 = (waits[Math.floor(waits.length * 0.99)] ?? Number.NaN) / 1000;
  return { perSecond: (workers * updates * 1000) / elapsed, p99 };
}
