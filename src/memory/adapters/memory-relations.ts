import {
  createBadRelationFault,
  createDeletedObservationFault,
  createUnknownRelationFault,
} from "../model/observation.ts";
import type { ObservationRelation } from "../operations/ports/memory.ts";
import type { SqliteDatabase, DatabaseReader, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { insertRelation, readObservation } from "./observation-store.ts";
import { pickTextColumn } from "./memory-tables.ts";

function toRelation(row: DatabaseRow): ObservationRelation {
  return {
    id: Number(row["id"]),
    from_id: Number(row["from_id"]),
    to_id: Number(row["to_id"]),
    type: String(row["type"]),
    ...pickTextColumn("note", row["note"]),
  };
}

export function addObservationRelation(
  db: SqliteDatabase,
  { from_id, to_id, type, note }: Omit<ObservationRelation, "id">,
  isBidirectional: boolean,
  at: string,
): ObservationRelation[] {
  if (from_id === to_id) throw createBadRelationFault(`#${from_id} cannot be related to itself.`);
  for (const id of [from_id, to_id]) {
    const observation = readObservation(db, id);
    if (observation.deleted_at !== undefined) throw createDeletedObservationFault(observation);
  }
  const made = insertRelation(db, { from: from_id, to: to_id, type, note }, at);
  const back = isBidirectional ? insertRelation(db, { from: to_id, to: from_id, type, note }, at) : 0;
  if (made + back === 0) throw createBadRelationFault(`#${from_id} ${type} #${to_id} is known already.`);
  return db
    .all(
      `SELECT * FROM relations WHERE type = ? AND ((from_id = ? AND to_id = ?) OR (? AND from_id = ? AND to_id = ?))
       ORDER BY id`,
      type,
      from_id,
      to_id,
      isBidirectional ? 1 : 0,
      to_id,
      from_id,
    )
    .map(toRelation);
}

export function removeObservationRelation(db: SqliteDatabase, id: number): ObservationRelation {
  const [row] = db.all("DELETE FROM relations WHERE id = ? RETURNING *", id);
  if (!row) throw createUnknownRelationFault(id);
  return toRelation(row);
}

export function listRelations(db: DatabaseReader, ids: readonly number[]): ObservationRelation[] {
  const found = new Map<number, ObservationRelation>();
  for (const id of ids) {
    for (const row of db.all(
      "SELECT * FROM relations WHERE from_id = ? UNION SELECT * FROM relations WHERE to_id = ?",
      id,
      id,
    )) {
      found.set(Number(row["id"]), toRelation(row));
    }
  }
  return [...found.values()].toSorted((one, other) => one.id - other.id);
}
