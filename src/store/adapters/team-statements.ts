import sendStatement from "./team-send.json" with { type: "json" };
import type { LedgerChange, LedgerEventRow } from "./sqlite-ledger.ts";

export const EVENTS_PER_FETCH = 5000;

/** Which state of the repository the mirror shows. */
export interface MirrorState {
  readonly repository: string;
  readonly version: number;
  readonly seq: number;
}

/** What changed on the server since the mirror's state, in one text, because each round trip costs a wait. */
export function createFetchScript(s: string, { repository, version, seq }: MirrorState, lock: string): string {
  const own = `repository = '${repository}'`;
  const last = `(SELECT e.id FROM ${s}.events e WHERE e.${own} AND e.seq = ${seq})`;
  const isNewer = `${own} AND version > ${version}`;
  return [
    `SELECT r.version, r.seq, (SELECT max(m.version) FROM ${s}.migrations m) AS schema, ${last} AS last FROM ${s}.repositories r WHERE r.id = '${repository}' ${lock}`,
    `SELECT space, key, body FROM ${s}.kept WHERE ${isNewer}`,
    `SELECT name, value FROM ${s}.counters WHERE ${isNewer}`,
    `SELECT name, holder, token, extract(epoch FROM expires - clock_timestamp()) * 1000 AS left FROM ${s}.leases WHERE ${own} AND (version > ${version} OR expires > clock_timestamp())`,
    `SELECT seq, id, at, checkout, kind, subject, data, ms FROM ${s}.events WHERE ${own} AND seq > ${seq} ORDER BY seq LIMIT ${EVENTS_PER_FETCH}`,
  ].join("; ");
}

export interface RepositoryRow {
  readonly version: number;
  readonly seq: number;
  readonly schema: number;
  /** The id of the mirror's last event. Another one, or none, if the database was restored from an older dump. */
  readonly last: string | null;
}

export type KeptRow = { readonly space: string; readonly key: string; readonly body: string | null };
export type CounterRow = { readonly name: string; readonly value: number };

export interface ServerLease {
  readonly name: string;
  readonly holder: string;
  readonly token: number;
  readonly left: string;
}

export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly checkout: string;
  readonly kind: string;
  readonly subject: string;
  readonly data: string;
  readonly ms: number | null;
}

export const toEventChange = ({ seq, id, at, checkout, kind, subject, data, ms }: EventRow): LedgerChange => ({
  table: "events",
  seq,
  event: [id, at, checkout, kind, subject, data, ms],
});

const toServerEvent = ([id, at, checkout, kind, subject, data, ms]: LedgerEventRow, seq: number): EventRow => ({
  seq,
  id,
  at,
  checkout,
  kind,
  subject,
  data,
  ms,
});

/** One statement for all changes. Its parameters: the repository, the version before, the last event, the changes. */
export const createSendStatement = (schema: string): string => sendStatement.join("\n").replaceAll("$.", `${schema}.`);

/** The newest value of each entry. A move brings the numbers of its events along. */
export function collectChanges(shared: readonly LedgerChange[], seq: number) {
  const kept = new Map<string, object>();
  const counters = new Map<string, object>();
  const leases = new Map<string, object>();
  const events: object[] = [];
  for (const change of shared) {
    if (change.table === "kept") kept.set(`${change.space}\n${change.key}`, change);
    if (change.table === "counters") counters.set(change.name, change);
    if (change.table === "leases") {
      const { name, holder, token, granted, expires } = change.row;
      leases.set(name, { name, holder, token, ttl: expires - granted });
    }
    if (change.table === "events") events.push(toServerEvent(change.event, change.seq ?? seq + events.length + 1));
  }
  const isMove = shared.some((change) => change.table === "events" && change.seq !== undefined);
  const parts = { kept: [...kept.values()], counters: [...counters.values()], leases: [...leases.values()], events };
  return { isMove, parts };
}
