import type { ProjectRef } from "#domain/memory/project.ts";
import { unknownSession } from "#domain/memory/refusals.ts";
import type { MemorySession } from "#operations/ports/memory.ts";
import type { Database, Reader, Row } from "../../sqlite/database.ts";
import { claimProject, claimSession, findProject } from "./projects.ts";
import { given } from "./rows.ts";

const SESSION = `
  SELECT s.*, p.name AS project_name
  FROM sessions s CROSS JOIN projects p ON p.no = s.project`;

function sessionOf(row: Row): MemorySession {
  return {
    id: String(row["id"]),
    project: String(row["project_name"]),
    ...given("directory", row["directory"]),
    started_at: String(row["started_at"]),
    ...given("ended_at", row["ended_at"]),
    ...given("summary", row["summary"]),
    observations: Number(row["rows"]),
  };
}

function sessionAt(db: Reader, no: number): MemorySession {
  const [row] = db.all(`${SESSION} WHERE s.no = ?`, no);
  if (!row) throw new Error(`There is no session ${no}.`);
  return sessionOf(row);
}

export const sessionOfObservation = (db: Reader, id: number): MemorySession =>
  sessionAt(db, Number(db.all("SELECT session FROM observations WHERE id = ?", id)[0]?.["session"]));

/** Starting an ended session reopens it. */
export function beginSession(
  db: Database,
  project: ProjectRef,
  { id, directory }: { id: string; directory?: string | undefined },
  at: string,
): MemorySession & { isNew: boolean } {
  const number = claimProject(db, project, at);
  const isNew = db.all("SELECT 1 FROM sessions WHERE project = ? AND id = ?", number, id).length === 0;
  const no = claimSession(db, number, id, at);
  db.run("UPDATE sessions SET ended_at = NULL, directory = coalesce(?, directory) WHERE no = ?", directory ?? null, no);
  return { ...sessionAt(db, no), isNew };
}

export function closeSession(
  db: Database,
  project: ProjectRef,
  id: string,
  summary: string | undefined,
  at: string,
): MemorySession {
  const number = findProject(db, project);
  const [row] = number === undefined ? [] : db.all("SELECT no FROM sessions WHERE project = ? AND id = ?", number, id);
  if (!row) throw unknownSession(id);
  const no = Number(row["no"]);
  db.run(
    "UPDATE sessions SET ended_at = ?, active_at = max(active_at, ?), summary = coalesce(?, summary) WHERE no = ?",
    at,
    at,
    summary ?? null,
    no,
  );
  return sessionAt(db, no);
}

export function recentSessions(db: Reader, project: ProjectRef | undefined, limit: number): MemorySession[] {
  const number = project && findProject(db, project);
  if (project && number === undefined) return [];
  const order = "ORDER BY s.active_at DESC, s.no DESC LIMIT ?";
  const rows =
    number === undefined
      ? db.all(`${SESSION} ${order}`, limit)
      : db.all(`${SESSION} WHERE s.project = ? ${order}`, number, limit);
  return rows.map(sessionOf);
}
