import fs from "node:fs";
import { formatProjectKey, formatProjectName, type ProjectIdentity } from "#kernel/model/project-identity.ts";
import type { DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import type { MemorySession } from "../model/memory-records.ts";
import { queryRows, selectRecords, type SqlProgram } from "./sql-program.ts";

/** A workspace is known by its places. By its name it finds only a project without another place. */
export function* findProjectNumber({
  name,
  places,
  isNamedBySettings,
}: ProjectIdentity): SqlProgram<number | undefined> {
  for (const place of places) {
    const [row] = yield* queryRows("SELECT project FROM project_places WHERE place = ?", place);
    if (row) return Number(row["project"]);
  }
  if (isNamedBySettings) return undefined;
  const named = yield* findNumberByName(name);
  if (named === undefined || places.length === 0) return named;
  const known = yield* queryRows("SELECT place FROM project_places WHERE project = ?", named);
  const others = known.map(({ place }) => String(place));
  const hasRemote = places.some((place) => place.startsWith("remote:"));
  // Two remotes are two projects, and so are two folders. A folder that was moved leaves its project to the new place.
  const isElsewhere = (place: string): boolean =>
    place.startsWith("remote:") ? hasRemote : fs.existsSync(place.slice("folder:".length));
  return others.some(isElsewhere) ? undefined : named;
}

export function* claimProjectNumber(ref: ProjectIdentity, at: string): SqlProgram<number> {
  let project = yield* findProjectNumber(ref);
  if (project === undefined) {
    const free = yield* chooseFreeProjectName(ref);
    const sql = "INSERT INTO projects (name, created_at) VALUES (?, ?) RETURNING no";
    const [row] = yield* queryRows(sql, free, at);
    project = Number(row?.["no"]);
    yield* addProjectName(free, project);
  }
  for (const place of ref.places) yield* addProjectPlace(place, project);
  // A renamed project keeps both names.
  yield* addProjectName(ref.name, project);
  return project;
}

/** The first project keeps its name; another of the same name gets its owner or a number added. */
export function* chooseFreeProjectName({ name, owner }: ProjectIdentity): SqlProgram<string> {
  const own = [name, ...(owner === undefined ? [] : [`${owner}-${name}`])].map(formatProjectName);
  for (let n = 2 - own.length; ; n++) {
    const wanted = own.shift() ?? `${formatProjectName(name)}-${n}`;
    if ((yield* findNumberByName(wanted)) === undefined) return wanted;
  }
}

export const addProjectName = (name: string, project: number): SqlProgram<unknown> =>
  queryRows(
    "INSERT INTO project_names (key, name, project) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    formatProjectKey(name),
    name.trim(),
    project,
  );

export const addProjectPlace = (place: string, project: number): SqlProgram<unknown> =>
  queryRows("INSERT INTO project_places (place, project) VALUES (?, ?) ON CONFLICT DO NOTHING", place, project);

function* findNumberByName(name: string): SqlProgram<number | undefined> {
  const [row] = yield* queryRows("SELECT project FROM project_names WHERE key = ?", formatProjectKey(name));
  return row && Number(row["project"]);
}

export function* claimSessionNumber(project: number, id: string, at: string): SqlProgram<number> {
  const sql = `INSERT INTO sessions (project, id, started_at, active_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (project, id) DO UPDATE SET active_at =
       CASE WHEN sessions.active_at < excluded.active_at THEN excluded.active_at ELSE sessions.active_at END
     RETURNING no`;
  const [row] = yield* queryRows(sql, project, id, at, at);
  return Number(row?.["no"]);
}

const SELECT_SESSIONS = `
  SELECT s.id, p.name AS project, s.directory, s.started_at, s.ended_at, s.summary, s.rows AS observations
  FROM sessions s CROSS JOIN projects p ON p.no = s.project`;

export const selectSessions = (rest: string, ...values: DatabaseValue[]): SqlProgram<MemorySession[]> =>
  selectRecords(`${SELECT_SESSIONS} ${rest}`, ...values);

export function* readSessionRow(no: number): SqlProgram<MemorySession> {
  const [session] = yield* selectSessions("WHERE s.no = ?", no);
  if (!session) throw new Error(`There is no session ${no}.`);
  return session;
}
