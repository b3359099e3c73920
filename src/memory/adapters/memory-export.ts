import fs from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { type DatabaseReader, parseRow, selectRows, type SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import { readErrorCode, toFileFault } from "#kernel/model/system-error.ts";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { MemoryEntry, ObservationEntry, ObservationRevision } from "../model/memory-records.ts";
import type { MemoryStore } from "../operations/ports/memory.ts";
import { EXPORT_HEADER } from "./import-entries.ts";
import { SELECT_OBSERVATIONS, type ObservationRow, SELECT_REVISIONS, toObservation } from "./memory-tables.ts";

export async function exportMemoryLines(db: SqliteDatabase, file: string): ReturnType<MemoryStore["exportTo"]> {
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
      for (const entry of listExportEntries(reader)) write(entry);
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
      why: "A file with that name exists, and Tenon does not overwrite it.",
      fix: "Choose another name, or move the file away.",
    });
  }
}

/** All entries in import order: a referenced entry comes before its references. */
function* listExportEntries(database: DatabaseSync): Generator<MemoryEntry> {
  const db: DatabaseReader = { all: (sql, ...values) => database.prepare(sql).all(...values) };
  const listColumn = (sql: string, no: unknown): string[] =>
    db.all(sql, Number(no)).map((row) => String(Object.values(row)[0]));
  for (const { no, name } of db.all("SELECT no, name FROM projects ORDER BY no")) {
    const aliases = listColumn("SELECT name FROM project_names WHERE project = ? ORDER BY key", no);
    const places = listColumn("SELECT place FROM project_places WHERE project = ? ORDER BY place", no);
    yield { kind: "project", name: String(name), aliases, places };
  }
  const sessions = `SELECT 'session' AS kind, p.name AS project, s.id, s.directory, s.started_at, s.active_at, s.ended_at,
     s.summary FROM sessions s CROSS JOIN projects p ON p.no = s.project ORDER BY s.no`;
  for (const row of database.prepare(sessions).iterate()) yield parseRow(row);
  for (const each of database.prepare(`${SELECT_OBSERVATIONS} ORDER BY o.place`).iterate()) {
    const row = parseRow<ObservationRow & Pick<ObservationEntry, "scope">>(each);
    const sql = `${SELECT_REVISIONS} WHERE observation = ? ORDER BY revision`;
    const revisions = selectRows<ObservationRevision>(db, sql, row.id);
    yield {
      kind: "observation",
      uid: Buffer.from(row.uid).toString("hex"),
      ...toObservation(row),
      scope: row.scope,
      revisions,
    };
  }
  const relations = `SELECT 'relation' AS kind, r.id, lower(hex(a.uid)) AS "from", lower(hex(b.uid)) AS "to", r.type,
     r.note, r.created_at FROM relations r CROSS JOIN observations a ON a.id = r.from_id
     CROSS JOIN observations b ON b.id = r.to_id ORDER BY r.id`;
  for (const row of database.prepare(relations).iterate()) yield parseRow(row);
  const gone = `SELECT 'gone' AS kind, lower(hex(g.uid)) AS uid, g.at, nullif(lower(hex(o.uid)), '') AS heir
     FROM gone g LEFT JOIN observations o ON o.id = g.heir ORDER BY g.uid`;
  yield* selectRows<MemoryEntry>(db, gone);
}

export async function backUpMemory(db: SqliteDatabase, file: string): ReturnType<MemoryStore["backupTo"]> {
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
