import type { MemoryEntry } from "../entry.ts";
import type { DatabaseRow } from "../../sqlite/database.ts";
import { pickTextColumn, toObservation, toRevision } from "./rows.ts";

type QueryAll = (sql: string, ...values: (string | number | bigint)[]) => DatabaseRow[];

const EXPORT_CHUNK_ROWS = 500;

/** All entries in import order: a referenced entry comes before its references. */
export function* listExportEntries(all: QueryAll): Generator<MemoryEntry> {
  for (const row of all("SELECT no, name FROM projects ORDER BY no")) {
    yield {
      kind: "project",
      name: String(row["name"]),
      aliases: listColumnTexts(
        all("SELECT name FROM project_names WHERE project = ? ORDER BY key", Number(row["no"])),
        "name",
      ),
      places: listColumnTexts(
        all("SELECT place FROM project_places WHERE project = ? ORDER BY place", Number(row["no"])),
        "place",
      ),
    };
  }
  yield* readEntryChunks(
    all,
    "SELECT s.no AS key, s.*, p.name AS project_name FROM sessions s CROSS JOIN projects p ON p.no = s.project WHERE s.no > ? ORDER BY s.no",
    (row) => ({
      kind: "session",
      project: String(row["project_name"]),
      id: String(row["id"]),
      ...pickTextColumn("directory", row["directory"]),
      started_at: String(row["started_at"]),
      active_at: String(row["active_at"]),
      ...pickTextColumn("ended_at", row["ended_at"]),
      ...pickTextColumn("summary", row["summary"]),
    }),
  );
  yield* readEntryChunks(
    all,
    `SELECT o.place AS key, o.*, p.name AS project_name, s.id AS session_id
     FROM observations o CROSS JOIN projects p ON p.no = o.project CROSS JOIN sessions s ON s.no = o.session
     WHERE o.place > ? ORDER BY o.place`,
    (row) => readObservationEntry(all, row),
  );
  yield* readEntryChunks(
    all,
    `SELECT r.id AS key, r.*, lower(hex(a.uid)) AS from_uid, lower(hex(b.uid)) AS to_uid
     FROM relations r CROSS JOIN observations a ON a.id = r.from_id CROSS JOIN observations b ON b.id = r.to_id
     WHERE r.id > ? ORDER BY r.id`,
    (row) => ({
      kind: "relation",
      id: Number(row["id"]),
      from: String(row["from_uid"]),
      to: String(row["to_uid"]),
      type: String(row["type"]),
      ...pickTextColumn("note", row["note"]),
      created_at: String(row["created_at"]),
    }),
  );
  const gone = all(
    `SELECT lower(hex(g.uid)) AS uid, g.at, nullif(lower(hex(o.uid)), '') AS heir
     FROM gone g LEFT JOIN observations o ON o.id = g.heir ORDER BY g.uid`,
  );
  for (const row of gone) {
    yield {
      kind: "gone",
      uid: String(row["uid"]),
      at: String(row["at"]),
      ...pickTextColumn("heir", row["heir"]),
    };
  }
}

function readObservationEntry(all: QueryAll, row: DatabaseRow): MemoryEntry {
  const revisions = all("SELECT * FROM revisions WHERE observation = ? ORDER BY revision", Number(row["id"]));
  return {
    kind: "observation",
    uid: Buffer.from(row["uid"] as Uint8Array).toString("hex"),
    ...toObservation(row),
    revisions: revisions.map(toRevision),
  };
}

function* readEntryChunks(
  all: QueryAll,
  sql: string,
  entry: (row: DatabaseRow) => MemoryEntry,
): Generator<MemoryEntry> {
  for (let after = 0n; ;) {
    const rows = all(`${sql} LIMIT ${EXPORT_CHUNK_ROWS}`, after);
    for (const row of rows) yield entry(row);
    if (rows.length < EXPORT_CHUNK_ROWS) return;
    after = BigInt(Number(rows.at(-1)?.["key"]));
  }
}

const listColumnTexts = (rows: readonly DatabaseRow[], name: string): string[] => rows.map((row) => String(row[name]));
