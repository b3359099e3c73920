import { join, dirname } from "node:path";
import { ignoreFault, Fault } from "#kernel/model/fault.ts";
import { type EventLogName, EVENT_LOG_NAMES, formatEventLog } from "#kernel/model/event-log.ts";
import { LOG_FOLDER, getLogPath, MACHINE_FOLDER, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { LedgerObserver } from "../operations/engine.ts";
import type { StoredEvent } from "../operations/ports/store.ts";
import { toFileFault, readErrorCode } from "#kernel/adapters/system-error.ts";
import type { DatabaseReader } from "#kernel/adapters/sqlite-database.ts";
import {
  listRecordedEvents,
  readWorkflowKinds,
  writeSpaceValues,
  listSpaceValues,
  type Ledger,
} from "./sqlite-ledger.ts";
import fs from "node:fs";
import { makeMachineFolder } from "#kernel/adapters/workspace-files.ts";

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
      // Other checks report an unreadable ledger.
      const waiting = (ignoreFault(due) ?? []).filter(({ text }) => text !== "");
      const found = waiting.flatMap(({ log }) => describeLogObstacle(parts.root, getLogPath(log)) ?? []);
      return found.length === 0 ? undefined : { found: [...new Set(found)].join(" "), fix: LOG_FIX };
    },
  };
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
  const kept = isOld ? undefined : listSpaceValues(db, LOG_SPACE).get(checkout);
  const places: Partial<Record<EventLogName, LogPosition>> = kept ?? {};
  const batches = new Map<number, LogBatch>();
  return EVENT_LOG_NAMES.map((log) => {
    const place = places[log] ?? LOG_START;
    const batch = batches.get(place.seq) ?? readLogBatch(db, checkout, place.seq);
    batches.set(place.seq, batch);
    return { log, place, text: batch.texts.get(log) ?? "", seq: batch.seq, isPart: batch.isPart };
  });
}

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
      ...(why === place.told ? {} : { notice: `${getLogPath(log)} cannot be written. ${why} ${LOG_DELAY}` }),
    };
  }
}

const LOG_DELAY = "The work goes on; what the log lacks is added once that is mended.";

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

/** Bytes. A larger log is rotated to `.1` and replaces the previous one there. */
export const LONGEST_LOG = 5 * 1024 * 1024;

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const APPEND_LOG_FLAGS = O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
const LINE_BREAK = Buffer.from("\n");

export function makeLogFolder(root: string, newId: () => string): void {
  makeMachineFolder(join(root, MACHINE_FOLDER), newId);
  fs.mkdirSync(join(root, LOG_FOLDER), { recursive: true, mode: 0o700 });
}

/**
 * Appends to a log that had `known` bytes and returns its new size. A process that died between append and bookkeeping
 * left the beginning of the same text, so only the rest is missing. Edits, truncation and moves by the user are not
 * errors.
 */
export function appendLogOnce(place: string, text: string, known: number): number {
  const bytes = Buffer.from(text);
  const fd = fs.openSync(place, APPEND_LOG_FLAGS, 0o600);
  try {
    const { size } = fs.fstatSync(fd);
    const done = countWrittenBytes(fd, size, bytes, known);
    const isRoom = done > 0 || size === 0 || size + bytes.length <= LONGEST_LOG;
    if (isRoom) {
      const rest = done > 0 ? bytes.subarray(done) : startOnOwnLine(fd, size, bytes);
      fs.writeFileSync(fd, rest);
      return size + rest.length;
    }
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(place, `${place}.1`);
  return appendLogOnce(place, text, 0);
}

function countWrittenBytes(fd: number, size: number, bytes: Buffer, known: number): number {
  if (size === known) return 0;
  const isOurs = (more: number): boolean =>
    more > 0 && more <= bytes.length && readLogPart(fd, size - more, more).equals(bytes.subarray(0, more));
  return [size - known, size].find(isOurs) ?? 0;
}

function startOnOwnLine(fd: number, size: number, bytes: Buffer): Buffer {
  const isOwn = size === 0 || readLogPart(fd, size - 1, 1).equals(LINE_BREAK);
  return isOwn ? bytes : Buffer.concat([LINE_BREAK, bytes]);
}

function readLogPart(fd: number, from: number, length: number): Buffer {
  const part = Buffer.alloc(length);
  return part.subarray(0, fs.readSync(fd, part, 0, length, from));
}

export function describeLogObstacle(root: string, log: WorkspacePath): string | undefined {
  for (const path of [MACHINE_FOLDER, LOG_FOLDER, log]) {
    const place = join(root, path);
    try {
      const stat = fs.lstatSync(place, { throwIfNoEntry: false });
      const wrong = stat && describeUnfitLog(stat, path === log);
      if (wrong !== undefined) return `${path} is ${wrong}.`;
      fs.accessSync(stat ? place : dirname(place), fs.constants.W_OK);
      if (!stat) return undefined;
    } catch (error) {
      return `${path}: ${toFileFault(error, path, "write").why}`;
    }
  }
  return undefined;
}

function describeUnfitLog(stat: fs.Stats, isLog: boolean): string | undefined {
  if (stat.isSymbolicLink()) return "a symbolic link";
  if (isLog) return stat.isFile() ? undefined : "not a file";
  return stat.isDirectory() ? undefined : "not a folder";
}
