import type { Observation } from "#domain/memory/observation.ts";
import { createDeletedObservationFault } from "#domain/memory/refusals.ts";
import type { SqliteDatabase, DatabaseRow } from "../../sqlite/database.ts";
import { adjustSessionCount, readObservation, assertTopicFree, readObservationRow } from "./keep.ts";
import { addIndexTerms, dropIndexTerms, dropVocabularyTerms, toObservation } from "./rows.ts";

export function softDeleteObservation(db: SqliteDatabase, row: DatabaseRow, at: string): void {
  if (row["deleted_at"] !== null) return;
  db.run("UPDATE observations SET deleted_at = ? WHERE id = ?", at, Number(row["id"]));
  dropIndexTerms(db, BigInt(Number(row["place"])), String(row["type"]));
}

/**
 * Deletes an observation with its revisions and relations. An import does not bring it back, and its words remain in no
 * page of the file.
 */
export function destroyObservation(db: SqliteDatabase, row: DatabaseRow, at: string): void {
  const texts = db.all("SELECT title, content FROM revisions WHERE observation = ?", Number(row["id"]));
  const words = [row, ...texts].map((text) => `${String(text["title"])}\n${String(text["content"])}`).join("\n");
  if (row["deleted_at"] === null) dropIndexTerms(db, BigInt(Number(row["place"])), String(row["type"]));
  adjustSessionCount(db, Number(row["session"]), -1);
  db.run("INSERT OR IGNORE INTO gone VALUES (?, ?, NULL)", row["uid"] as Uint8Array, at);
  // Observations merged into it are gone too.
  db.run("UPDATE gone SET heir = NULL WHERE heir = ?", Number(row["id"]));
  db.run("DELETE FROM observations WHERE id = ?", Number(row["id"]));
  dropVocabularyTerms(db, words);
}

export function destroySourceRevisions(db: SqliteDatabase, source: string, project: number | undefined): void {
  const rows = db.all(
    `DELETE FROM revisions WHERE source = ?
     AND (? IS NULL OR observation IN (SELECT id FROM observations WHERE project = ?)) RETURNING title, content`,
    source,
    project ?? null,
    project ?? null,
  );
  for (const row of rows) dropVocabularyTerms(db, `${String(row["title"])}\n${String(row["content"])}`);
}

export function removeObservation(db: SqliteDatabase, id: number, isHard: boolean, at: string): Observation {
  const row = readObservationRow(db, id);
  const observation = toObservation(row);
  if (isHard) {
    destroyObservation(db, row, at);
    return observation;
  }
  if (observation.deleted_at !== undefined) throw createDeletedObservationFault(observation);
  softDeleteObservation(db, row, at);
  return readObservation(db, id);
}

/** A restore counts as a change, so an older deletion from an import has no effect. */
export function restoreObservation(db: SqliteDatabase, id: number, at: string): Observation {
  const row = readObservationRow(db, id);
  const observation = toObservation(row);
  if (observation.deleted_at === undefined) return observation;
  assertTopicFree(db, {
    id,
    project: Number(row["project"]),
    scope: observation.scope,
    namespace: observation.namespace,
    topic_key: observation.topic_key ?? null,
  });
  db.run("UPDATE observations SET deleted_at = NULL, updated_at = max(updated_at, ?) WHERE id = ?", at, id);
  addIndexTerms(db, BigInt(Number(row["place"])), observation);
  return readObservation(db, id);
}
