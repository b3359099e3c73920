import type { ProjectIdentity } from "#kernel/model/project-identity.ts";
import type { MemoryImportResult } from "../operations/ports/memory.ts";
import type { MemoryEntry, ObservationEntry } from "./memory-entries.ts";
import type { SqliteDatabase, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import {
  addObservationRow,
  findTopicRow,
  insertRelation,
  replaceObservationText,
  readObservationRow,
  findOtherTopicHolder,
  softDeleteObservation,
  restoreObservation,
} from "./observation-store.ts";
import { addProjectName, claimProjectNumber, claimSessionNumber } from "./memory-projects.ts";
import { pickTextColumn, nextCounterValue, SELECT_OBSERVATIONS } from "./memory-tables.ts";

export type ImportTally = { -readonly [name in Exclude<keyof MemoryImportResult, "kind">]: number };

export type ImportedProjects = Map<string, ProjectIdentity>;

interface ImportState {
  readonly tally: ImportTally;
  readonly projects: ImportedProjects;
}

const findImportedProject = ({ projects }: ImportState, name: string): ProjectIdentity =>
  projects.get(name) ?? { name, places: [] };

/** Imports one entry. A known state changes nothing; a newer one becomes the current text. */
export function importEntry(db: SqliteDatabase, entry: MemoryEntry, into: ImportState, at: string): void {
  switch (entry.kind) {
    case "project": {
      // Folders differ between machines, so they are stored but do not identify the project.
      const places = entry.places.filter((place) => place.startsWith("remote:"));
      into.projects.set(entry.name, { name: entry.name, places });
      const project = claimProjectNumber(db, findImportedProject(into, entry.name), at);
      for (const place of entry.places) db.run("INSERT OR IGNORE INTO project_places VALUES (?, ?)", place, project);
      for (const name of entry.aliases) addProjectName(db, name, project);
      return;
    }
    case "session":
      return importSession(db, entry, findImportedProject(into, entry.project), at);
    case "observation":
      return importObservation(db, entry, into, at);
    case "relation": {
      const [from, to] = [findObservationId(db, entry.from), findObservationId(db, entry.to)];
      if (from === undefined || to === undefined || from === to) return;
      const isFree = db.all("SELECT 1 FROM relations WHERE id = ?", entry.id).length === 0;
      const relation = { from, to, type: entry.type, note: entry.note };
      insertRelation(db, isFree ? { ...relation, id: entry.id } : relation, entry.created_at);
      return;
    }
    case "gone":
      // Only for an unknown uid: an import never deletes.
      if (findObservationId(db, entry.uid) !== undefined) return;
      db.run(
        "INSERT OR IGNORE INTO gone VALUES (?, ?, ?)",
        decodeUid(entry.uid),
        entry.at,
        (entry.heir && findObservationId(db, entry.heir)) ?? null,
      );
  }
}

function importSession(
  db: SqliteDatabase,
  entry: Extract<MemoryEntry, { kind: "session" }>,
  owner: ProjectIdentity,
  at: string,
): void {
  const project = claimProjectNumber(db, owner, at);
  db.run(
    `INSERT INTO sessions (project, id, directory, started_at, active_at, ended_at, summary) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project, id) DO UPDATE SET
       started_at = min(started_at, excluded.started_at), active_at = max(active_at, excluded.active_at),
       directory = coalesce(directory, excluded.directory), ended_at = coalesce(ended_at, excluded.ended_at),
       summary = coalesce(summary, excluded.summary)`,
    project,
    entry.id,
    entry.directory ?? null,
    entry.started_at,
    entry.active_at,
    entry.ended_at ?? null,
    entry.summary ?? null,
  );
}

function importObservation(db: SqliteDatabase, entry: ObservationEntry, into: ImportState, at: string): void {
  const { tally } = into;
  const owner = findImportedProject(into, entry.project);
  tally.read++;
  const [gone] = db.all("SELECT heir FROM gone WHERE uid = ?", decodeUid(entry.uid));
  if (gone) {
    const heir = gone["heir"];
    tally[
      heir === null
        ? "buried"
        : mergeHistories(db, readObservationRow(db, Number(heir)), entry, false)
          ? "updated"
          : "unchanged"
    ]++;
    return;
  }
  const [ours] = db.all(`${SELECT_OBSERVATIONS} WHERE o.uid = ?`, decodeUid(entry.uid));
  if (ours) {
    tally[mergeNewerState(db, ours, entry) ? "updated" : "unchanged"]++;
    return;
  }
  const holder = entry.deleted_at === undefined ? findImportTopicHolder(db, entry, owner) : undefined;
  if (holder) {
    mergeHistories(db, holder, entry, false);
    db.run("INSERT INTO gone VALUES (?, ?, ?)", decodeUid(entry.uid), at, Number(holder["id"]));
    tally.updated++;
    return;
  }
  const project = claimProjectNumber(db, owner, at);
  const session = claimSessionNumber(db, project, entry.session, entry.created_at);
  const id = reserveObservationId(db, entry.id);
  addObservationRow(db, {
    ...entry,
    id,
    uid: decodeUid(entry.uid),
    project,
    session,
    topic_key: entry.topic_key ?? null,
    source: entry.source ?? null,
    deleted_at: entry.deleted_at ?? null,
  });
  for (const revision of entry.revisions) addImportedRevision(db, id, revision, revision.revision);
  tally.added++;
}

function findImportTopicHolder(
  db: SqliteDatabase,
  entry: ObservationEntry,
  project: ProjectIdentity,
): DatabaseRow | undefined {
  const { scope, namespace, topic_key } = entry;
  if (topic_key === undefined) return undefined;
  return findTopicRow(db, { project, scope: scope === "personal" ? "personal" : "project", namespace, topic_key });
}

/** Merges another state of the same observation: the later one wins. Returns whether anything changed. */
function mergeNewerState(db: SqliteDatabase, ours: DatabaseRow, entry: ObservationEntry): boolean {
  const id = Number(ours["id"]);
  const isLater = entry.updated_at > String(ours["updated_at"]);
  const isSaid = ["type", "title", "content"].every((field) => ours[field] === entry[field as "title"]);
  if (isLater && isSaid) db.run("UPDATE observations SET updated_at = ? WHERE id = ?", entry.updated_at, id);
  const hasMore = mergeHistories(db, isLater && isSaid ? readObservationRow(db, id) : ours, entry, true);
  const deleted = entry.deleted_at;
  const isDeleted = deleted !== undefined && ours["deleted_at"] === null && deleted > String(ours["updated_at"]);
  if (isDeleted) softDeleteObservation(db, readObservationRow(db, id), deleted);
  const isBack =
    deleted === undefined && isLater && typeof ours["deleted_at"] === "string" && ours["deleted_at"] < entry.updated_at;
  const isMoved = isLater && importTopic(db, readObservationRow(db, id), entry);
  if (isBack && !isTopicTaken(db, readObservationRow(db, id))) restoreObservation(db, id, entry.updated_at);
  return hasMore || isDeleted || isBack || isMoved;
}

function importTopic(db: SqliteDatabase, row: DatabaseRow, entry: ObservationEntry): boolean {
  const { scope } = entry;
  const topic_key = entry.topic_key ?? null;
  if (row["topic_key"] === topic_key && row["scope"] === scope) return false;
  if (isTopicTaken(db, { ...row, topic_key, scope })) return false;
  db.run("UPDATE observations SET topic_key = ?, scope = ? WHERE id = ?", topic_key, scope, Number(row["id"]));
  return true;
}

const isTopicTaken = (db: SqliteDatabase, row: DatabaseRow): boolean =>
  findOtherTopicHolder(db, {
    id: Number(row["id"]),
    project: Number(row["project"]),
    scope: String(row["scope"]),
    namespace: String(row["namespace"]),
    topic_key: typeof row["topic_key"] === "string" ? row["topic_key"] : null,
  }) !== undefined;

type RevisionText = Pick<ObservationEntry, "type" | "title" | "content" | "source"> & { readonly at: string };

/**
 * Merges two histories: the later text becomes current, all others become revisions. Returns whether there were new
 * ones. For the same observation a recurring text is a new revision; for two different ones the same text is not new.
 */
function mergeHistories(db: SqliteDatabase, row: DatabaseRow, entry: ObservationEntry, isSame: boolean): boolean {
  const id = Number(row["id"]);
  const keyOf = (text: RevisionText): string =>
    JSON.stringify([text.type, text.title, text.content, ...(isSame ? [text.at] : [])]);
  const ours = toRevisionText(row, row["updated_at"]);
  const theirs = { ...entry, at: entry.updated_at };
  const isLater = theirs.at > ours.at || (isSame && theirs.at === ours.at && entry.revision > Number(row["revision"]));
  const isReplaced = isLater && keyOf(theirs) !== keyOf(ours);
  if (isReplaced) {
    const { type, title, content, source = null } = entry;
    replaceObservationText(db, row, { type, title, content, source }, theirs.at);
  }
  const revisions = db.all("SELECT * FROM revisions WHERE observation = ?", id);
  const known = new Set([ours, ...revisions.map((each) => toRevisionText(each, each["at"]))].map(keyOf));
  const more = [...entry.revisions, ...(isReplaced ? [] : [theirs])].filter((text) => !known.has(keyOf(text)));
  for (const text of more) addImportedRevision(db, id, text, isSame ? text.revision : undefined);
  if (isSame) db.run("UPDATE observations SET revision = max(revision, ?) WHERE id = ?", entry.revision, id);
  return isReplaced || more.length > 0;
}

const toRevisionText = (row: DatabaseRow, at: unknown): RevisionText => ({
  type: String(row["type"]),
  title: String(row["title"]),
  content: String(row["content"]),
  ...pickTextColumn("source", row["source"]),
  at: String(at),
});

function addImportedRevision(db: SqliteDatabase, id: number, text: RevisionText, wanted?: number): void {
  const [taken] =
    wanted === undefined
      ? [true]
      : db.all("SELECT 1 FROM revisions WHERE observation = ? AND revision = ?", id, wanted);
  const [row] = db.all("SELECT revision FROM observations WHERE id = ?", id);
  const number = wanted === undefined || taken ? Number(row?.["revision"]) : wanted;
  const { type, title, content, at, source = null } = text;
  db.run("INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?, ?)", id, number, type, title, content, at, source);
  db.run("UPDATE observations SET revision = max(revision, ?) WHERE id = ?", number + 1, id);
}

function reserveObservationId(db: SqliteDatabase, wanted: number): number {
  if (db.all("SELECT 1 FROM observations WHERE id = ?", wanted).length > 0) return nextCounterValue(db, "observation");
  db.run(
    "INSERT INTO counters VALUES ('observation', ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
    wanted,
  );
  return wanted;
}

function findObservationId(db: SqliteDatabase, uid: string): number | undefined {
  const [row] = db.all("SELECT id FROM observations WHERE uid = ?", decodeUid(uid));
  if (row) return Number(row["id"]);
  const [gone] = db.all("SELECT heir FROM gone WHERE uid = ?", decodeUid(uid));
  return gone?.["heir"] == null ? undefined : Number(gone["heir"]);
}

const decodeUid = (uid: string): Uint8Array => Buffer.from(uid, "hex");
