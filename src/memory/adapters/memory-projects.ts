import fs from "node:fs";
import { formatProjectKey, formatProjectName, type ProjectIdentity } from "#kernel/model/project-identity.ts";
import type { DatabaseReader, DatabaseValue, SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import { selectRows } from "#kernel/adapters/sqlite-database.ts";
import type { MemorySession } from "../model/memory-records.ts";

/** A workspace is known by its places. By its name it finds only a project without another place. */
export function findProjectNumber(
  db: DatabaseReader,
  { name, places, isNamedBySettings }: ProjectIdentity,
): number | undefined {
  for (const place of places) {
    const [row] = db.all("SELECT project FROM project_places WHERE place = ?", place);
    if (row) return Number(row["project"]);
  }
  if (isNamedBySettings) return undefined;
  const named = findNumberByName(db, name);
  if (named === undefined || places.length === 0) return named;
  const others = db.all("SELECT place FROM project_places WHERE project = ?", named).map(({ place }) => String(place));
  const hasRemote = places.some((place) => place.startsWith("remote:"));
  // Two remotes are two projects, and so are two folders. A folder that was moved leaves its project to the new place.
  const isElsewhere = (place: string): boolean =>
    place.startsWith("remote:") ? hasRemote : fs.existsSync(place.slice("folder:".length));
  return others.some(isElsewhere) ? undefined : named;
}

export function claimProjectNumber(db: SqliteDatabase, ref: ProjectIdentity, at: string): number {
  let project = findProjectNumber(db, ref);
  if (project === undefined) {
    const free = chooseFreeProjectName(db, ref);
    project = db.insert("INSERT INTO projects (name, created_at) VALUES (?, ?)", free, at);
    addProjectName(db, free, project);
  }
  for (const place of ref.places) db.run("INSERT OR IGNORE INTO project_places VALUES (?, ?)", place, project);
  // A renamed project keeps both names.
  addProjectName(db, ref.name, project);
  return project;
}

/** The first project keeps its name; another of the same name gets its owner or a number added. */
export function chooseFreeProjectName(db: DatabaseReader, { name, owner }: ProjectIdentity): string {
  const isFree = (wanted: string): boolean => findNumberByName(db, wanted) === undefined;
  const own = [name, ...(owner === undefined ? [] : [`${owner}-${name}`])].map(formatProjectName).find(isFree);
  if (own !== undefined) return own;
  for (let n = 2; ; n++) {
    const numbered = `${formatProjectName(name)}-${n}`;
    if (isFree(numbered)) return numbered;
  }
}

export function addProjectName(db: SqliteDatabase, name: string, project: number): void {
  db.run("INSERT OR IGNORE INTO project_names VALUES (?, ?, ?)", formatProjectKey(name), name.trim(), project);
}

function findNumberByName(db: DatabaseReader, name: string): number | undefined {
  const [row] = db.all("SELECT project FROM project_names WHERE key = ?", formatProjectKey(name));
  return row && Number(row["project"]);
}

export function claimSessionNumber(db: SqliteDatabase, project: number, id: string, at: string): number {
  const sql = `INSERT INTO sessions (project, id, started_at, active_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (project, id) DO UPDATE SET active_at = max(active_at, excluded.active_at) RETURNING no`;
  return Number(db.all(sql, project, id, at, at)[0]?.["no"]);
}

const SELECT_SESSIONS = `
  SELECT s.id, p.name AS project, s.directory, s.started_at, s.ended_at, s.summary, s.rows AS observations
  FROM sessions s CROSS JOIN projects p ON p.no = s.project`;

export const selectSessions = (db: DatabaseReader, rest: string, ...values: DatabaseValue[]): MemorySession[] =>
  selectRows(db, `${SELECT_SESSIONS} ${rest}`, ...values);

export function readSessionRow(db: DatabaseReader, no: number): MemorySession {
  const [session] = selectSessions(db, "WHERE s.no = ?", no);
  if (!session) throw new Error(`There is no session ${no}.`);
  return session;
}
