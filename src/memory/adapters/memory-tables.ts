import { createHash } from "node:crypto";
import type { DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import type { Observation } from "../model/memory-records.ts";
import { normalizeComparedText } from "../model/observation.ts";
import { selectRecords, type SqlProgram } from "./sql-program.ts";

/**
 * A row's place combines its project's number and its own, so that a project is one range of places in the table and
 * in the index.
 */
export interface ObservationRow extends Observation {
  readonly place: number;
  readonly uid: Uint8Array;
  readonly project_no: number;
  readonly session_no: number;
}

export const SELECT_OBSERVATIONS = `
  SELECT o.place, o.uid, o.project AS project_no, o.session AS session_no, o.id, p.name AS project, s.id AS session,
    o.type, o.title, o.content, o.scope, o.namespace, o.topic_key, o.source, o.revision, o.duplicates, o.created_at,
    o.updated_at, o.deleted_at
  FROM observations o CROSS JOIN projects p ON p.no = o.project CROSS JOIN sessions s ON s.no = o.session`;

export const selectObservationRows = (condition: string, ...values: DatabaseValue[]): SqlProgram<ObservationRow[]> =>
  selectRecords(`${SELECT_OBSERVATIONS} WHERE ${condition}`, ...values);

export function toObservation(row: ObservationRow): Observation {
  const { place: _place, uid: _uid, project_no: _project, session_no: _session, ...observation } = row;
  return observation;
}

export function* selectObservations(condition: string, ...values: DatabaseValue[]): SqlProgram<Observation[]> {
  return (yield* selectObservationRows(condition, ...values)).map(toObservation);
}

export const SELECT_REVISIONS = "SELECT revision, type, title, content, at, source FROM revisions";

/** Equal for texts that differ only in spacing. */
export const hashObservationContent = (content: string): string =>
  createHash("sha256").update(normalizeComparedText(content)).digest("hex").slice(0, 16);

/** The row key: the project number in the high bits, the row number in the low bits. */
export const formatRowPlace = (project: number, row: number): bigint => (BigInt(project) << 32n) | BigInt(row);
