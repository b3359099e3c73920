import type { ProjectIdentity } from "#domain/memory/project.ts";
import { createUnknownSessionFault } from "#domain/memory/refusals.ts";
import type { MemorySession } from "#operations/ports/memory.ts";
import type { SqliteDatabase, DatabaseReader, DatabaseRow } from "../../sqlite/database.ts";
import { claimProjectNumber, claimSessionNumber, findProjectNumber } from "./projects.ts";
import { pickTextColumn } from "./rows.ts";

const SELECT_SESSIONS = `
  SELECT s.*, p.name AS project_name
  FROM sessions s CROSS JOIN projects p ON p.no = s.project`;

function toSession(row: DatabaseRow): MemorySession {
  return {
    id: String(row["id"]),
    project: String(row["project_name"]),
    ...pickTextColumn("directory", row["directory"]),
    started_at: String(row["started_at"]),
    ...pickTextColumn("ended_at", row["ended_at"]),
    ...pickTextColumn("summary", row["summary"]),
    observations: Number(row["rows"]),
  };
}

function readSessionRow(db: DatabaseReader, no: number): MemorySession {
  const [row] = db.all(`${SELECT_SESSIONS} WHERE s.no = ?`, no);
  if (!row) throw new Error(`There is no session ${no}.`);
  return toSession(row);
}

export const readObservationSession = (db: DatabaseReader, id: number): MemorySession =>
  readSessionRow(db, Number(db.all("SELECT session FROM observations WHERE id = ?", id)[0]?.["session"]));

/** Starting an ended session reopens it. */
export function startSessionRow(
  db: SqliteDatabase,
  project: ProjectIdentity,
  { id, directory }: { id: string; directory?: string | undefined },
  at: string,
): MemorySession & { isNew: boolean } {
  const number = claimProjectNumber(db, project, at);
  const isNew = db.all("SELECT 1 FROM sessions WHERE project = ? AND id = ?", number, id).length === 0;
  const no = claimSessionNumber(db, number, id, at);
  db.run("UPDATE sessions SET ended_at = NULL, directory = coalesce(?, directory) WHERE no = ?", directory ?? null, no);
  return { ...readSessionRow(db, no), isNew };
}

export function endSessionRow(
  db: SqliteDatabase,
  project: ProjectIdentity,
  id: string,
  summary: string | undefined,
  at: string,
): MemorySession {
  const number = findProjectNumber(db, project);
  const [row] = number === undefined ? [] : db.all("SELECT no FROM sessions WHERE project = ? AND id = ?", number, id);
  if (!row) throw createUnknownSessionFault(id);
  const no = Number(row["no"]);
  db.run(
    "UPDATE sessions SET ended_at = ?, active_at = max(active_at, ?), summary = coalesce(?, summary) WHERE no = ?",
    at,
    at,
    summary ?? null,
    no,
  );
  return readSessionRow(db, no);
}

export function listRecentSessions(
  db: DatabaseReader,
  project: ProjectIdentity | undefined,
  limit: number,
): MemorySession[] {
  const number = project && findProjectNumber(db, project);
  if (project && number === undefined) return [];
  const order = "ORDER BY s.active_at DESC, s.no DESC LIMIT ?";
  const rows =
    number === undefined
      ? db.all(`${SELECT_SESSIONS} ${order}`, limit)
      : db.all(`${SELECT_SESSIONS} WHERE s.project = ? ${order}`, number, limit);
  return rows.map(toSession);
}
