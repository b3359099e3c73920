import { formatProjectKey, formatProjectName, type ProjectIdentity } from "#domain/memory/project.ts";
import type { SqliteDatabase, DatabaseReader } from "../../sqlite/database.ts";

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
  return project === undefined ? chooseFreeProjectName(db, ref) : readProjectName(db, project);
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

const REMOTE_PREFIX = "remote:";

/** Two remotes are two projects, even with one name. Folders with the same name are one project. */
function hasOtherRemote(db: DatabaseReader, project: number, places: readonly string[]): boolean {
  if (!places.some((place) => place.startsWith(REMOTE_PREFIX))) return false;
  const rows = db.all("SELECT 1 FROM project_places WHERE project = ? AND place LIKE 'remote:%'", project);
  return rows.length > 0;
}

function readProjectName(db: DatabaseReader, project: number): string {
  return String(db.all("SELECT name FROM projects WHERE no = ?", project)[0]?.["name"]);
}

export function claimSessionNumber(db: SqliteDatabase, project: number, id: string, at: string): number {
  const [row] = db.all(
    `INSERT INTO sessions (project, id, started_at, active_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (project, id) DO UPDATE SET active_at = max(active_at, excluded.active_at) RETURNING no`,
    project,
    id,
    at,
    at,
  );
  return Number(row?.["no"]);
}
