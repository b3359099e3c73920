import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

export interface Rate {
  readonly what: string;
  readonly perSecond: number;
  /** Share of the rate that the disk allows for the same syncs alone. */
  readonly ofBare?: number;
}

const UPDATES = 400;

/** Each update changes a record and a document, and is on disk when acknowledged. */
export async function measureUpdates(): Promise<Rate[]> {
  const bare = bareRate();
  const alone = await processes(1, UPDATES);
  const crowd = await processes(16, UPDATES / 16);
  return [
    { what: "bare: two SQLite commits (FULL) and two synced files", perSecond: bare },
    { what: "one process, adr record in a change", perSecond: alone, ofBare: alone / bare },
    { what: "sixteen processes on one change", perSecond: crowd, ofBare: crowd / bare },
  ];
}

function bareRate(): number {
  const folder = fs.mkdtempSync(join(os.tmpdir(), "tenon-bench-"));
  const db = new DatabaseSync(join(folder, "bare.db"));
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a TEXT)");
  const insert = db.prepare("INSERT INTO t VALUES (?)");
  const text = "x".repeat(1500);
  const start = performance.now();
  for (let i = 0; i < UPDATES; i++) {
    insert.run(text);
    for (const name of ["record", "document"]) writeSynced(folder, name, text);
    insert.run(text);
  }
  const rate = (UPDATES * 1000) / (performance.now() - start);
  db.close();
  fs.rmSync(folder, { recursive: true });
  return rate;
}

function writeSynced(folder: string, name: string, text: string): void {
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
async function processes(workers: number, updates: number): Promise<number> {
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
  const start = performance.now();
  for (const child of children) child.stdin.end();
  const codes = await Promise.all(children.map((child) => new Promise((done) => child.once("close", done))));
  const elapsed = performance.now() - start;
  if (codes.some((code) => code !== 0)) throw new Error(`A worker failed: ${codes.join(", ")}`);
  fs.rmSync(folder, { recursive: true });
  return (workers * updates * 1000) / elapsed;
}
