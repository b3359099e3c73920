import type { Absorbed } from "#operations/memory.ts";
import type { Entry, ObservationEntry } from "../entry.ts";
import type { Database, Row } from "../../sqlite/database.ts";
import { addRow, findTopic, link, revise } from "./keep.ts";
import { addName, claimProject, claimSession } from "./projects.ts";
import { putAway } from "./remove.ts";
import { nextNumber, OBSERVATION } from "./rows.ts";

export type Tally = { -readonly [name in Exclude<keyof Absorbed, "kind">]: number };

/** Takes one entry in. What is known already changes nothing; what is newer than ours becomes the present text. */
export function absorb(db: Database, entry: Entry, tally: Tally, at: string): void {
  switch (entry.kind) {
    case "project": {
      const project = claimProject(db, { name: entry.name, places: [] }, at);
      for (const name of entry.aliases) addName(db, name, project);
      for (const place of entry.places) db.run("INSERT OR IGNORE INTO project_places VALUES (?, ?)", place, project);
      return;
    }
    case "session":
      return absorbSession(db, entry, at);
    case "observation":
      return absorbObservation(db, entry, tally, at);
    case "relation": {
      const [from, to] = [idOf(db, entry.from), idOf(db, entry.to)];
      if (from === undefined || to === undefined || from === to) return;
      link(db, { from, to, type: entry.type, note: entry.note }, entry.created_at);
      return;
    }
    case "gone":
      // Only what never was here: an import never destroys.
      if (idOf(db, entry.uid) !== undefined) return;
      db.run(
        "INSERT OR IGNORE INTO gone VALUES (?, ?, ?)",
        bytes(entry.uid),
        entry.at,
        (entry.heir && idOf(db, entry.heir)) ?? null,
      );
  }
}

function absorbSession(db: Database, entry: Extract<Entry, { kind: "session" }>, at: string): void {
  const project = claimProject(db, { name: entry.project, places: [] }, at);
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

function absorbObservation(db: Database, entry: ObservationEntry, tally: Tally, at: string): void {
  tally.read++;
  const [buried] = db.all("SELECT heir FROM gone WHERE uid = ?", bytes(entry.uid));
  if (buried) {
    tally[buried["heir"] === null ? "buried" : "unchanged"]++;
    return;
  }
  const [ours] = db.all(`${OBSERVATION} WHERE o.uid = ?`, bytes(entry.uid));
  if (ours) return renew(db, ours, entry, tally);
  const holder = entry.topic_key === undefined || entry.deleted_at !== undefined ? undefined : topicHolder(db, entry);
  if (holder) return merge(db, holder, entry, tally, at);
  const project = claimProject(db, { name: entry.project, places: [] }, at);
  const session = claimSession(db, project, entry.session, entry.created_at);
  const id = freeId(db, entry.id);
  addRow(db, {
    ...entry,
    id,
    uid: bytes(entry.uid),
    project,
    session,
    topic_key: entry.topic_key ?? null,
    source: entry.source ?? null,
    deleted_at: entry.deleted_at ?? null,
  });
  for (const revision of entry.revisions) addRevision(db, id, revision);
  tally.added++;
}

function topicHolder(db: Database, entry: ObservationEntry): Row | undefined {
  const { project, scope, namespace, topic_key = "" } = entry;
  return findTopic(db, {
    project: { name: project, places: [] },
    scope: scope === "personal" ? "personal" : "project",
    namespace,
    topic_key,
  });
}

/** Ours is known elsewhere in another state: the later one holds, and the revisions of both are kept. */
function renew(db: Database, ours: Row, entry: ObservationEntry, tally: Tally): void {
  const id = Number(ours["id"]);
  const isNewer =
    entry.updated_at > String(ours["updated_at"]) ||
    (entry.updated_at === ours["updated_at"] && entry.revision > Number(ours["revision"]));
  if (isNewer) {
    revise(db, ours, { type: entry.type, title: entry.title, content: entry.content }, entry.updated_at);
    db.run("UPDATE observations SET revision = max(revision, ?) WHERE id = ?", entry.revision, id);
  }
  const added = entry.revisions.filter((revision) => addRevision(db, id, revision)).length;
  const isDeleted =
    entry.deleted_at !== undefined && ours["deleted_at"] === null && entry.deleted_at > String(ours["updated_at"]);
  if (isDeleted) putAway(db, ours, entry.deleted_at ?? "");
  tally[isNewer || isDeleted || added > 0 ? "updated" : "unchanged"]++;
}

/** Another row has the topic here: both become one, the later text the present one, the earlier a revision. */
function merge(db: Database, holder: Row, entry: ObservationEntry, tally: Tally, at: string): void {
  const id = Number(holder["id"]);
  for (const { type, title, content, at: then } of entry.revisions) insertOlder(db, id, { type, title, content }, then);
  if (entry.updated_at > String(holder["updated_at"])) {
    const [now] = db.all(`${OBSERVATION} WHERE o.id = ?`, id);
    if (now) revise(db, now, { type: entry.type, title: entry.title, content: entry.content }, entry.updated_at);
  } else if (entry.title !== holder["title"] || entry.content !== holder["content"]) {
    insertOlder(db, id, entry, entry.updated_at);
  }
  db.run("INSERT INTO gone VALUES (?, ?, ?)", bytes(entry.uid), at, id);
  tally.updated++;
}

/** Puts a text before the present one. */
function insertOlder(
  db: Database,
  id: number,
  text: Pick<ObservationEntry, "type" | "title" | "content">,
  at: string,
): void {
  db.run(
    "INSERT INTO revisions SELECT id, revision, ?, ?, ?, ? FROM observations WHERE id = ?",
    text.type,
    text.title,
    text.content,
    at,
    id,
  );
  db.run("UPDATE observations SET revision = revision + 1 WHERE id = ?", id);
}

function addRevision(db: Database, id: number, revision: ObservationEntry["revisions"][number]): boolean {
  const added = db.all(
    `INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1`,
    id,
    revision.revision,
    revision.type,
    revision.title,
    revision.content,
    revision.at,
  );
  return added.length > 0;
}

/** The number it has elsewhere, if nobody has it here. */
function freeId(db: Database, wanted: number): number {
  if (db.all("SELECT 1 FROM observations WHERE id = ?", wanted).length > 0) return nextNumber(db, "observation");
  db.run(
    "INSERT INTO counters VALUES ('observation', ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
    wanted,
  );
  return wanted;
}

function idOf(db: Database, uid: string): number | undefined {
  const [row] = db.all("SELECT id FROM observations WHERE uid = ?", bytes(uid));
  if (row) return Number(row["id"]);
  const [gone] = db.all("SELECT heir FROM gone WHERE uid = ?", bytes(uid));
  return gone?.["heir"] == null ? undefined : Number(gone["heir"]);
}

const bytes = (uid: string): Uint8Array => Buffer.from(uid, "hex");
