import type { Observation } from "#domain/memory/observation.ts";
import { deletedObservation } from "#domain/memory/refusals.ts";
import type { Database, Row } from "../../sqlite/database.ts";
import { countRow, read, refuseTaken, rowOf } from "./keep.ts";
import { addTerms, dropTerms, observationOf } from "./rows.ts";

/** Put away: not found any more, but not lost. */
export function putAway(db: Database, row: Row, at: string): void {
  if (row["deleted_at"] !== null) return;
  db.run("UPDATE observations SET deleted_at = ? WHERE id = ?", at, Number(row["id"]));
  dropTerms(db, BigInt(Number(row["place"])), String(row["type"]));
}

/** Gone with its revisions and relations; an import does not bring it back. */
export function destroy(db: Database, row: Row, at: string): void {
  if (row["deleted_at"] === null) dropTerms(db, BigInt(Number(row["place"])), String(row["type"]));
  countRow(db, Number(row["session"]), -1);
  db.run("INSERT OR IGNORE INTO gone VALUES (?, ?, NULL)", row["uid"] as Uint8Array, at);
  db.run("DELETE FROM observations WHERE id = ?", Number(row["id"]));
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

export function restoreObservation(db: Database, id: number): Observation {
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
  db.run("UPDATE observations SET deleted_at = NULL WHERE id = ?", id);
  addTerms(db, BigInt(Number(row["place"])), observation);
  return read(db, id);
}
