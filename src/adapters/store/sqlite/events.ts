import type { StoredEvent } from "#operations/ports/store.ts";
import type { DatabaseReader, DatabaseRow } from "./database.ts";

export function listRecordedEvents(db: DatabaseReader, after: number, most: number, checkout?: string): StoredEvent[] {
  const rows =
    checkout === undefined
      ? db.all("SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?", after, most)
      : db.all("SELECT * FROM events WHERE checkout = ? AND seq > ? ORDER BY seq LIMIT ?", checkout, after, most);
  return rows.map(toRecordedEvent);
}

export function readWorkflowKinds(db: DatabaseReader, ids: Iterable<string>): Map<string, string> {
  const rows = db.all(
    "SELECT subject, data ->> 'kind' AS kind FROM events WHERE kind = 'workflow.started' AND subject IN (SELECT value FROM json_each(?))",
    JSON.stringify([...ids]),
  );
  return new Map(rows.map((row) => [String(row["subject"]), String(row["kind"])]));
}

function toRecordedEvent(row: DatabaseRow): StoredEvent {
  return {
    seq: Number(row["seq"]),
    id: String(row["id"]),
    at: String(row["at"]),
    kind: String(row["kind"]),
    subject: String(row["subject"]),
    data: JSON.parse(String(row["data"])) as Record<string, unknown>,
    ...(row["ms"] == null ? {} : { ms: Number(row["ms"]) }),
  };
}
