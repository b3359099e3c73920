import type { Entry } from "../entry.ts";
import type { Row } from "../../sqlite/database.ts";
import { given, observationOf, revisionOf } from "./rows.ts";

type All = (sql: string, ...values: (string | number | bigint)[]) => Row[];

const CHUNK = 500;

/** All entries in import order: a referenced entry comes before its references. */
export function* entriesOf(all: All): Generator<Entry> {
  for (const row of all("SELECT no, name FROM projects ORDER BY no")) {
    yield {
      kind: "project",
      name: String(row["name"]),
      aliases: column(all("SELECT name FROM project_names WHERE project = ? ORDER BY key", Number(row["no"])), "name"),
      places: column(
        all("SELECT place FROM project_places WHERE project = ? ORDER BY place", Number(row["no"])),
        "place",
      ),
    };
  }
  yield* chunks(
    all,
    "SELECT s.no AS key, s.*, p.name AS project_name FROM sessions s CROSS JOIN projects p ON p.no = s.project WHERE s.no > ? ORDER BY s.no",
    (row) => ({
      kind: "session",
      project: String(row["project_name"]),
      id: String(row["id"]),
      ...given("directory", row["directory"]),
      started_at: String(row["started_at"]),
      active_at: String(row["active_at"]),
      ...given("ended_at", row["ended_at"]),
      ...given("summary", row["summary"]),
    }),
  );
  yield* chunks(
    all,
    `SELECT o.place AS key, o.*, p.name AS project_name, s.id AS session_id
     FROM observations o CROSS JOIN projects p ON p.no = o.project CROSS JOIN sessions s ON s.no = o.session
     WHERE o.place > ? ORDER BY o.place`,
    (row) => observationEntry(all, row),
  );
  yield* chunks(
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
      ...given("note", row["note"]),
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
      ...given("heir", row["heir"]),
    };
  }
}

function observationEntry(all: All, row: Row): Entry {
  const revisions = all("SELECT * FROM revisions WHERE observation = ? ORDER BY revision", Number(row["id"]));
  return {
    kind: "observation",
    uid: Buffer.from(row["uid"] as Uint8Array).toString("hex"),
    ...observationOf(row),
    revisions: revisions.map(revisionOf),
  };
}

function* chunks(all: All, sql: string, entry: (row: Row) => Entry): Generator<Entry> {
  for (let after = 0n; ;) {
    const rows = all(`${sql} LIMIT ${CHUNK}`, after);
    for (const row of rows) yield entry(row);
    if (rows.length < CHUNK) return;
    after = BigInt(Number(rows.at(-1)?.["key"]));
  }
}

const column = (rows: readonly Row[], name: string): string[] => rows.map((row) => String(row[name]));
