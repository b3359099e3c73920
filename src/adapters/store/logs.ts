import { join } from "node:path";
import { Fault } from "#domain/fault.ts";
import { type EventLogName, EVENT_LOG_NAMES, formatEventLog } from "#domain/workflow/log.ts";
import { LOG_FOLDER, getLogPath } from "#domain/workspace/path.ts";
import type { LedgerObserver } from "#operations/engine.ts";
import type { StoredEvent } from "#operations/ports/store.ts";
import { asFault, errorCode } from "./files/error.ts";
import { appendOnce, makeLogFolder, obstacleTo } from "./files/log-file.ts";
import type { Reader } from "./sqlite/database.ts";
import { eventsAfter, workflowKinds } from "./sqlite/events.ts";
import { keep, keptIn } from "./sqlite/kept.ts";
import type { Ledger } from "./sqlite/ledger.ts";

interface Parts {
  readonly root: string;
  readonly checkout: string;
  readonly ledger: Ledger;
  readonly newId: () => string;
  readonly notice: (text: string) => void;
}

interface Place {
  readonly seq: number;
  readonly size: number;
  /** Why the last attempt to write failed. Each reason is reported once. */
  readonly told?: string;
}

const SPACE = "log";
const START: Place = { seq: 0, size: 0 };
const BATCH = 500;

/**
 * Appends the events of this checkout to `.sdd/logs`, each once. Appends happen under the ledger lock, and the ledger
 * records the position: so a later process knows how far a killed one got, and no process writes in between.
 */
export function logObserver(parts: Parts): LedgerObserver {
  const due = (): Due[] => parts.ledger.look((all) => dueIn({ all }, parts.checkout)) ?? [];
  return {
    name: `the logs in ${LOG_FOLDER}`,
    async catchUp() {
      let isMore = due().some(({ text, isPart }) => text !== "" || isPart);
      while (isMore) {
        const extended = await parts.ledger.alone(() => extendAll(parts));
        for (const { notice } of extended) if (notice !== undefined) parts.notice(notice);
        isMore = extended.some((each) => each.isMore);
      }
    },
    async problem() {
      const waiting = forgiving(due).filter(({ text }) => text !== "");
      const found = waiting.flatMap(({ log }) => obstacleTo(parts.root, getLogPath(log)) ?? []);
      return found.length === 0 ? undefined : { found: [...new Set(found)].join(" "), fix: FIX };
    },
  };
}

/** Other checks report an unreadable ledger. */
function forgiving(due: () => Due[]): Due[] {
  try {
    return due();
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}

interface Due {
  readonly log: EventLogName;
  readonly place: Place;
  readonly text: string;
  readonly seq: number;
  readonly isPart: boolean;
}

function dueIn(db: Reader, checkout: string): Due[] {
  const isOld = Number(db.all("PRAGMA user_version")[0]?.["user_version"]) < 2;
  const places = isOld ? {} : placesIn(db, checkout);
  const batches = new Map<number, Batch>();
  return EVENT_LOG_NAMES.map((log) => {
    const place = places[log] ?? START;
    const batch = batches.get(place.seq) ?? batchAfter(db, checkout, place.seq);
    batches.set(place.seq, batch);
    return { log, place, text: batch.texts.get(log) ?? "", seq: batch.seq, isPart: batch.isPart };
  });
}

type Places = Partial<Record<EventLogName, Place>>;

const placesIn = (db: Reader, checkout: string): Places => keptIn(db, SPACE).get(checkout) ?? {};

interface Batch {
  readonly texts: ReadonlyMap<EventLogName, string>;
  readonly seq: number;
  readonly isPart: boolean;
}

function batchAfter(db: Reader, checkout: string, seq: number): Batch {
  const events = eventsAfter(db, seq, BATCH, checkout);
  const isWorkflow = ({ kind }: StoredEvent): boolean => kind.startsWith("workflow.");
  const ids = new Set(events.filter(isWorkflow).map(({ subject }) => subject));
  const kinds = ids.size === 0 ? new Map<string, string>() : workflowKinds(db, ids);
  const texts = new Map<EventLogName, string>();
  for (const event of events) {
    const told = formatEventLog(event, kinds.get(event.subject));
    if (told) texts.set(told.log, `${texts.get(told.log) ?? ""}${told.line}\n`);
  }
  return { texts, seq: events.at(-1)?.seq ?? seq, isPart: events.length === BATCH };
}

interface Extended {
  readonly log: EventLogName;
  readonly place: Place;
  readonly isMore: boolean;
  readonly notice?: string;
}

/** Needs the ledger lock. A log that cannot be written keeps its position; the others continue. */
function extendAll(parts: Parts): readonly Extended[] {
  const { ledger, checkout } = parts;
  const due = dueIn(ledger, checkout);
  const extended = due.map((each) => extend(parts, each));
  const value = Object.fromEntries(extended.map(({ log, place }) => [log, place]));
  const isNew = extended.some(({ place }, i) => JSON.stringify(place) !== JSON.stringify(due[i]?.place));
  if (isNew) keep(ledger, [{ space: SPACE, key: checkout, value }]);
  return extended;
}

function extend(parts: Parts, { log, place, text, seq, isPart }: Due): Extended {
  try {
    const size = text === "" ? place.size : write(parts, log, text, place.size);
    return { log, place: { seq, size }, isMore: isPart };
  } catch (error) {
    if (!(error instanceof Fault) && errorCode(error) === undefined) throw error;
    const { why } = asFault(error, getLogPath(log), "write");
    return {
      log,
      place: { ...place, told: why },
      isMore: false,
      ...(why === place.told ? {} : { notice: noticeOf(log, why) }),
    };
  }
}

const noticeOf = (log: EventLogName, why: string): string =>
  `${getLogPath(log)} cannot be written. ${why} The work goes on; what the log lacks is added once that is mended.`;

function write({ root, newId }: Parts, log: EventLogName, text: string, size: number): number {
  const path = getLogPath(log);
  const why = obstacleTo(root, path);
  if (why !== undefined) {
    throw new Fault("files.unwritable", { what: `${path} cannot be written.`, why, fix: FIX });
  }
  makeLogFolder(root, newId);
  return appendOnce(join(root, path), text, size);
}

const FIX = `Let them be written, or move them away (a link: rm it): ls -la ${LOG_FOLDER}`;
