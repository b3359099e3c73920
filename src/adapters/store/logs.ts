import { join } from "node:path";
import { Fault } from "#domain/fault.ts";
import { type EventLogName, EVENT_LOG_NAMES, formatEventLog } from "#domain/workflow/log.ts";
import { LOG_FOLDER, getLogPath } from "#domain/workspace/path.ts";
import type { LedgerObserver } from "#operations/engine.ts";
import type { StoredEvent } from "#operations/ports/store.ts";
import { toFileFault, readErrorCode } from "./files/error.ts";
import { appendLogOnce, makeLogFolder, describeLogObstacle } from "./files/log-file.ts";
import type { DatabaseReader } from "./sqlite/database.ts";
import { listRecordedEvents, readWorkflowKinds } from "./sqlite/events.ts";
import { writeSpaceValues, listSpaceValues } from "./sqlite/kept.ts";
import type { Ledger } from "./sqlite/ledger.ts";

interface LogParts {
  readonly root: string;
  readonly checkout: string;
  readonly ledger: Ledger;
  readonly newId: () => string;
  readonly notice: (text: string) => void;
}

interface LogPosition {
  readonly seq: number;
  readonly size: number;
  /** Why the last attempt to write failed. Each reason is reported once. */
  readonly told?: string;
}

const LOG_SPACE = "log";
const LOG_START: LogPosition = { seq: 0, size: 0 };
const LOG_BATCH_EVENTS = 500;

/**
 * Appends the events of this checkout to `.sdd/logs`, each once. Appends happen under the ledger lock, and the ledger
 * records the position: so a later process knows how far a killed one got, and no process writes in between.
 */
export function createLogObserver(parts: LogParts): LedgerObserver {
  const due = (): PendingLog[] => parts.ledger.look((all) => listPendingLogs({ all }, parts.checkout)) ?? [];
  return {
    name: `the logs in ${LOG_FOLDER}`,
    async catchUp() {
      let isMore = due().some(({ text, isPart }) => text !== "" || isPart);
      while (isMore) {
        const extended = await parts.ledger.alone(() => extendAllLogs(parts));
        for (const { notice } of extended) if (notice !== undefined) parts.notice(notice);
        isMore = extended.some((each) => each.isMore);
      }
    },
    async problem() {
      const waiting = listPendingLogsSafely(due).filter(({ text }) => text !== "");
      const found = waiting.flatMap(({ log }) => describeLogObstacle(parts.root, getLogPath(log)) ?? []);
      return found.length === 0 ? undefined : { found: [...new Set(found)].join(" "), fix: LOG_FIX };
    },
  };
}

/** Other checks report an unreadable ledger. */
function listPendingLogsSafely(due: () => PendingLog[]): PendingLog[] {
  try {
    return due();
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

interface PendingLog {
  readonly log: EventLogName;
  readonly place: LogPosition;
  readonly text: string;
  readonly seq: number;
  readonly isPart: boolean;
}

function listPendingLogs(db: DatabaseReader, checkout: string): PendingLog[] {
  const isOld = Number(db.all("PRAGMA user_version")[0]?.["user_version"]) < 2;
  const places = isOld ? {} : readLogPositions(db, checkout);
  const batches = new Map<number, LogBatch>();
  return EVENT_LOG_NAMES.map((log) => {
    const place = places[log] ?? LOG_START;
    const batch = batches.get(place.seq) ?? readLogBatch(db, checkout, place.seq);
    batches.set(place.seq, batch);
    return { log, place, text: batch.texts.get(log) ?? "", seq: batch.seq, isPart: batch.isPart };
  });
}

type LogPositions = Partial<Record<EventLogName, LogPosition>>;

const readLogPositions = (db: DatabaseReader, checkout: string): LogPositions =>
  listSpaceValues(db, LOG_SPACE).get(checkout) ?? {};

interface LogBatch {
  readonly texts: ReadonlyMap<EventLogName, string>;
  readonly seq: number;
  readonly isPart: boolean;
}

function readLogBatch(db: DatabaseReader, checkout: string, seq: number): LogBatch {
  const events = listRecordedEvents(db, seq, LOG_BATCH_EVENTS, checkout);
  const isWorkflow = ({ kind }: StoredEvent): boolean => kind.startsWith("workflow.");
  const ids = new Set(events.filter(isWorkflow).map(({ subject }) => subject));
  const kinds = ids.size === 0 ? new Map<string, string>() : readWorkflowKinds(db, ids);
  const texts = new Map<EventLogName, string>();
  for (const event of events) {
    const told = formatEventLog(event, kinds.get(event.subject));
    if (told) texts.set(told.log, `${texts.get(told.log) ?? ""}${told.line}\n`);
  }
  return { texts, seq: events.at(-1)?.seq ?? seq, isPart: events.length === LOG_BATCH_EVENTS };
}

interface ExtendedLog {
  readonly log: EventLogName;
  readonly place: LogPosition;
  readonly isMore: boolean;
  readonly notice?: string;
}

/** Needs the ledger lock. A log that cannot be written keeps its position; the others continue. */
function extendAllLogs(parts: LogParts): readonly ExtendedLog[] {
  const { ledger, checkout } = parts;
  const due = listPendingLogs(ledger, checkout);
  const extended = due.map((each) => extendLog(parts, each));
  const value = Object.fromEntries(extended.map(({ log, place }) => [log, place]));
  const isNew = extended.some(({ place }, i) => JSON.stringify(place) !== JSON.stringify(due[i]?.place));
  if (isNew) writeSpaceValues(ledger, [{ space: LOG_SPACE, key: checkout, value }]);
  return extended;
}

function extendLog(parts: LogParts, { log, place, text, seq, isPart }: PendingLog): ExtendedLog {
  try {
    const size = text === "" ? place.size : writeLogText(parts, log, text, place.size);
    return { log, place: { seq, size }, isMore: isPart };
  } catch (error) {
    if (!(error instanceof Fault) && readErrorCode(error) === undefined) throw error;
    const { why } = toFileFault(error, getLogPath(log), "write");
    return {
      log,
      place: { ...place, told: why },
      isMore: false,
      ...(why === place.told ? {} : { notice: formatLogNotice(log, why) }),
    };
  }
}

const formatLogNotice = (log: EventLogName, why: string): string =>
  `${getLogPath(log)} cannot be written. ${why} The work goes on; what the log lacks is added once that is mended.`;

function writeLogText({ root, newId }: LogParts, log: EventLogName, text: string, size: number): number {
  const path = getLogPath(log);
  const why = describeLogObstacle(root, path);
  if (why !== undefined) {
    throw new Fault("files.unwritable", { what: `${path} cannot be written.`, why, fix: LOG_FIX });
  }
  makeLogFolder(root, newId);
  return appendLogOnce(join(root, path), text, size);
}

const LOG_FIX = `Let them be written, or move them away (a link: rm it): ls -la ${LOG_FOLDER}`;
