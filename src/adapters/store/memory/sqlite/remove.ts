import type { Observation } from "#domain/memory/observation.ts";
import { deletedObservation } from "#domain/memory/refusals.ts";
import type { Database, Row } from "../../sqlite/database.ts";
import { countRow, read, refuseTaken, rowOf } from "./keep.ts";
import { addTerms, dropTerms, dropWords, observationOf } from "./rows.ts";

export function putAway(db: Database, row: Row, at: string): void {
  if (row["deleted_at"] !== null) return;
  db.run("UPDATE observations SET deleted_at = ? WHERE id = ?", at, Number(row["id"]));
  dropTerms(db, BigInt(Number(row["place"])), String(row["type"]));
}

/**
 * Deletes an observation with its revisions and relations. An import does not bring it back, and its words remain in no
 * page of the file.
 */
export function destroy(db: Database, row: Row, at: string): void {
  const texts = db.all("SELECT title, content FROM revisions WHERE observation = ?", Number(row["id"]));
  const words = [row, ...texts].map((text) => `${String(text["title"])}\n${String(text["content"])}`).join("\n");
  if (row["deleted_at"] === null) dropTerms(db, BigInt(Number(row["place"])), String(row["type"]));
  countRow(db, Number(row["session"]), -1);
  db.run("INSERT OR IGNORE INTO gone VALUES (?, ?, NULL)", row["uid"] as Uint8Array, at);
  // Observations merged into it are gone too.
  db.run("UPDATE gone SET heir = NULL WHERE heir = ?", Number(row["id"]));
  db.run("DELETE FROM observations WHERE id = ?", Number(row["id"]));
  dropWords(db, words);
}

export function destroyRevisions(db: Database, source: string, project: number | undefined): void {
  const rows = db.all(
    `DELETE FROM revisions WHERE source = ?
     AND (? IS NULL OR observation IN (SELECT id FROM observations WHERE project = ?)) RETURNING title, content`,
    source,
    project ?? null,
    project ?? null,
  );
  for (const row of rows) dropWords(db, `${String(row["title"])}\n${String(row["content"])}`);
}

export function removeObservation(db: Database, id: number, isHard: boolean, at: string): Observation {
  const row = rowOf(db, id);
  const observation = observationOf(row);
  if (isHard) {
    destroy(db, row, at);
    return observation;
  }
  if (observation.deleted_at !== undefined) throw deletedObservation(observation);
  putAway(db, row, at);
  return read(db, id);
}

/** A restore counts as a change, so an older deletion from an import has no effect. */
export function restoreObservation(db: Database, id: number, at: string): Observation {
  const row = rowOf(db, id);
  const observation = observationOf(row);
  if (observation.deleted_at === undefined) return observation;
  refuseTaken(db, {
    id,
    project: Number(row["project"]),
    scope: observation.scope,
    namespace: observation.namespace,
    topic_key: observation.topic_key ?? null,
  });
  db.run("UPDATE observations SET deleted_at = NULL, updated_at = max(updated_at, ?) WHERE id = ?", at, id);
  addTerms(db, BigInt(Number(row["place"])), observation);
  return read(db, id);
}
