import fs from "node:fs";
import { dirname, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import type { DatabaseReader, DatabaseRow, SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import { readErrorCode, toFileFault } from "#kernel/adapters/system-error.ts";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { MemoryEntry } from "../model/memory-records.ts";
import { EXPORT_HEADER } from "./memory-lines.ts";
import { readOptionalText, SELECT_OBSERVATIONS, toObservation, toRevision } from "./memory-tables.ts";

const EXPORT_CHUNK_ROWS = 500;

export async function exportMemoryLines(
  db: SqliteDatabase,
  to: string,
  cwd: string,
): Promise<{ file: string; lines: number }> {
  const file = resolve(cwd, to);
  if (db.exists) await db.open();
  const out = createExportFile(file);
  try {
    let lines = 0;
    const write = (value: unknown): void => {
      fs.writeFileSync(out, `${JSON.stringify(value)}\n`);
      lines++;
    };
    write(EXPORT_HEADER);
    if (db.exists) {
      using reader = new DatabaseSync(db.file, { readOnly: true, timeout: 15_000 });
      reader.exec("BEGIN");
      for (const entry of listExportEntries({ all: (sql, ...values) => reader.prepare(sql).all(...values) }))
        write(entry);
    }
    fs.fsyncSync(out);
    return { file, lines };
  } catch (error) {
    fs.rmSync(file, { force: true });
    throw toFileFault(error, file, "write");
  } finally {
    fs.closeSync(out);
  }
}

function createExportFile(file: string): number {
  try {
    return fs.openSync(file, "wx", 0o600);
  } catch (error) {
    if (readErrorCode(error) !== "EEXIST") throw toFileFault(error, file, "write");
    throw new Fault("memory.file-exists", {
      what: `${sanitizeText(file, 200)} was not written.`,
      why: "There is a file of that name, and it is not written over.",
      fix: "Give another name, or move the file away.",
    });
  }
}

/** All entries in import order: a referenced entry comes before its references. */
function* listExportEntries(db: DatabaseReader): Generator<MemoryEntry> {
  for (const { no, name } of db.all("SELECT no, name FROM projects ORDER BY no")) {
    const names = db.all("SELECT name FROM project_names WHERE project = ? ORDER BY key", Number(no));
    const places = db.all("SELECT place FROM project_places WHERE project = ? ORDER BY place", Number(no));
    yield {
      kind: "project",
      name: String(name),
      aliases: names.map((row) => String(row["name"])),
      places: places.map((row) => String(row["place"])),
    };
  }
  const sessions =
    "SELECT s.*, p.name AS project_name FROM sessions s CROSS JOIN projects p ON p.no = s.project WHERE s.no > ? ORDER BY s.no";
  for (const row of iterateRows(db, sessions, "no")) {
    yield {
      kind: "session",
      project: String(row["project_name"]),
      id: String(row["id"]),
      directory: readOptionalText(row["directory"]),
      started_at: String(row["started_at"]),
      active_at: String(row["active_at"]),
      ended_at: readOptionalText(row["ended_at"]),
      summary: readOptionalText(row["summary"]),
    };
  }
  for (const row of iterateRows(db, `${SELECT_OBSERVATIONS} WHERE o.place > ? ORDER BY o.place`, "place")) {
    const revisions = db.all("SELECT * FROM revisions WHERE observation = ? ORDER BY revision", Number(row["id"]));
    const uid = Buffer.from(row["uid"] as Uint8Array).toString("hex");
    yield { kind: "observation", uid, ...toObservation(row), revisions: revisions.map(toRevision) };
  }
  const relations = `SELECT r.*, lower(hex(a.uid)) AS from_uid, lower(hex(b.uid)) AS to_uid
     FROM relations r CROSS JOIN observations a ON a.id = r.from_id CROSS JOIN observations b ON b.id = r.to_id
     WHERE r.id > ? ORDER BY r.id`;
  for (const row of iterateRows(db, relations, "id")) {
    yield {
      kind: "relation",
      id: Number(row["id"]),
      from: String(row["from_uid"]),
      to: String(row["to_uid"]),
      type: String(row["type"]),
      note: readOptionalText(row["note"]),
      created_at: String(row["created_at"]),
    };
  }
  const gone = `SELECT lower(hex(g.uid)) AS uid, g.at, nullif(lower(hex(o.uid)), '') AS heir
     FROM gone g LEFT JOIN observations o ON o.id = g.heir ORDER BY g.uid`;
  for (const { uid, at, heir } of db.all(gone))
    yield { kind: "gone", uid: String(uid), at: String(at), heir: readOptionalText(heir) };
}

/** Reads a table in parts, ordered by its key, so that a large one does not fill the memory. */
function* iterateRows(db: DatabaseReader, sql: string, key: string): Generator<DatabaseRow> {
  for (let after = 0n; ;) {
    const rows = db.all(`${sql} LIMIT ${EXPORT_CHUNK_ROWS}`, after);
    yield* rows;
    if (rows.length < EXPORT_CHUNK_ROWS) return;
    after = BigInt(Number(rows.at(-1)?.[key]));
  }
}

export async function backUpMemory(
  db: SqliteDatabase,
  to: string,
  cwd: string,
): Promise<{ file: string; bytes: number }> {
  const file = resolve(cwd, to);
  await db.open();
  fs.closeSync(createExportFile(file));
  try {
    using source = new DatabaseSync(db.file, { readOnly: true, timeout: 15_000 });
    // Holds one read transaction: otherwise every write of others would restart the backup.
    source.exec("BEGIN");
    source.prepare("PRAGMA user_version").get();
    await backup(source, file);
    // A writable connection removes its companion files when it closes.
    using copy = new DatabaseSync(file);
    const check = Object.values(copy.prepare("PRAGMA quick_check").get() ?? {})[0];
    if (check !== "ok") throw new Error(String(check));
    return { file, bytes: fs.statSync(file).size };
  } catch (error) {
    fs.rmSync(file, { force: true });
    throw toFileFault(error, dirname(file), "write");
  }
}
