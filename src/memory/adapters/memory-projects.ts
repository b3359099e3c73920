import { formatProjectKey, formatProjectName, type ProjectIdentity } from "#kernel/model/project-identity.ts";
import type { SqliteDatabase, DatabaseReader, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { createUnknownSessionFault } from "../model/observation.ts";
import type { MemorySession } from "../model/memory-records.ts";
import { readOptionalText } from "./memory-tables.ts";

export function findProjectNumber(db: DatabaseReader, { name, places }: ProjectIdentity): number | undefined {
  for (const place of places) {
    const [row] = db.all("SELECT project FROM project_places WHERE place = ?", place);
    if (row) return Number(row["project"]);
  }
  const named = findNumberByName(db, name);
  return named === undefined || hasOtherRemote(db, named, places) ? undefined : named;
}

export function claimProjectNumber(db: SqliteDatabase, ref: ProjectIdentity, at: string): number {
  const project = findProjectNumber(db, ref) ?? insertProject(db, ref, at);
  for (const place of ref.places) db.run("INSERT OR IGNORE INTO project_places VALUES (?, ?)", place, project);
  // A renamed project keeps both names.
  addProjectName(db, ref.name, project);
  return project;
}

/** The first project keeps its name; another of the same name gets its owner or a number added. */
function chooseFreeProjectName(db: DatabaseReader, { name, owner }: ProjectIdentity): string {
  const wanted = [name, ...(owner === undefined ? [] : [`${owner}-${name}`])].map(formatProjectName);
  for (let n = 2; wanted.length < 200; n++) wanted.push(`${formatProjectName(name)}-${n}`);
  return (
    wanted.find((each) => findNumberByName(db, each) === undefined) ?? formatProjectName(`${name} ${wanted.length}`)
  );
}

export function resolveProjectName(db: DatabaseReader, ref: ProjectIdentity): string {
  const project = findProjectNumber(db, ref);
  if (project === undefined) return chooseFreeProjectName(db, ref);
  return String(db.all("SELECT name FROM projects WHERE no = ?", project)[0]?.["name"]);
}

function insertProject(db: SqliteDatabase, ref: ProjectIdentity, at: string): number {
  const free = chooseFreeProjectName(db, ref);
  const [row] = db.all("INSERT INTO projects (name, created_at) VALUES (?, ?) RETURNING no", free, at);
  const project = Number(row?.["no"]);
  addProjectName(db, free, project);
  return project;
}

export function addProjectName(db: SqliteDatabase, name: string, project: number): void {
  db.run("INSERT OR IGNORE INTO project_names VALUES (?, ?, ?)", formatProjectKey(name), name.trim(), project);
}

function findNumberByName(db: DatabaseReader, name: string): number | undefined {
  const [row] = db.all("SELECT project FROM project_names WHERE key = ?", formatProjectKey(name));
  return row && Number(row["project"]);
}

/** Two remotes are two projects, even with one name. Folders with the same name are one project. */
function hasOtherRemote(db: DatabaseReader, project: number, places: readonly string[]): boolean {
  if (!places.some((place) => place.startsWith("remote:"))) return false;
  const rows = db.all("SELECT 1 FROM project_places WHERE project = ? AND place LIKE 'remote:%'", project);
  return rows.length > 0;
}

export function claimSessionNumber(db: SqliteDatabase, project: number, id: string, at: string): number {
  const sql = `INSERT INTO sessions (project, id, started_at, active_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (project, id) DO UPDATE SET active_at = max(active_at, excluded.active_at) RETURNING no`;
  return Number(db.all(sql, project, id, at, at)[0]?.["no"]);
}

const SELECT_SESSIONS = `
  SELECT s.*, p.name AS project_name
  FROM sessions s CROSS JOIN projects p ON p.no = s.project`;

function toSession(row: DatabaseRow): MemorySession {
  return {
    id: String(row["id"]),
    project: String(row["project_name"]),
    directory: readOptionalText(row["directory"]),
    started_at: String(row["started_at"]),
    ended_at: readOptionalText(row["ended_at"]),
    summary: readOptionalText(row["summary"]),
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
  const number = findProjectNumber(db, project) ?? null;
  const [row] = db.all("SELECT no FROM sessions WHERE project = ? AND id = ?", number, id);
  if (!row) throw createUnknownSessionFault(id);
  const no = Number(row["no"]);
  const changes = "ended_at = ?, active_at = max(active_at, ?), summary = coalesce(?, summary)";
  db.run(`UPDATE sessions SET ${changes} WHERE no = ?`, at, at, summary ?? null, no);
  return readSessionRow(db, no);
}

export function listRecentSessions(
  db: DatabaseReader,
  project: ProjectIdentity | undefined,
  limit: number,
): MemorySession[] {
  const number = project && findProjectNumber(db, project);
  if (project && number === undefined) return [];
  const [where, values] = number === undefined ? ["", []] : ["WHERE s.project = ?", [number]];
  const order = "ORDER BY s.active_at DESC, s.no DESC LIMIT ?";
  return db.all(`${SELECT_SESSIONS} ${where} ${order}`, ...values, limit).map(toSession);
}
