import { join, dirname } from "node:path";
import { catchFault, Fault } from "#kernel/model/fault.ts";
import { type EventLogName, EVENT_LOG_NAMES, formatEventLog } from "#kernel/model/event-log.ts";
import { LOG_FOLDER, getLogPath, MACHINE_FOLDER, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { LedgerObserver } from "../operations/engine.ts";
import { toFileFault, readErrorCode } from "#kernel/model/system-error.ts";
import { type DatabaseReader, selectRows } from "#kernel/adapters/sqlite-database.ts";
import { memoizeByKey } from "./file-tree.ts";
import { hasFirstSchema, type Ledger, listRecordedEvents, listSpaceValues, writeSpaceValues } from "./sqlite-ledger.ts";
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
const LOG_BATCH_EVENTS = 500;
/** After this many events that no log shows, the position moves past them, so that the next call reads few. */
const MOST_UNLOGGED_EVENTS = 50;
const LOG_FIX = `Make them writable, or move them away (remove links): ls -la ${LOG_FOLDER}`;

/** Appends under the ledger lock and stores the position there, so each event is logged once even after a kill. */
export function createLogObserver(parts: LogParts): LedgerObserver {
  const due = (): PendingLog[] => parts.ledger.look((all) => listPendingLogs({ all }, parts.checkout)) ?? [];
  return {
    name: `the logs in ${LOG_FOLDER}`,
    async catchUp() {
      let isMore = due().some(
        ({ text, isPart, seq, place }) => text !== "" || isPart || seq - place.seq >= MOST_UNLOGGED_EVENTS,
      );
      while (isMore) {
        const extended = await parts.ledger.aloneHere(() => extendAllLogs(parts));
        for (const { notice } of extended) if (notice !== undefined) parts.notice(notice);
        isMore = extended.some((each) => each.isMore);
      }
    },
    async problem() {
      // Other checks report an unreadable ledger.
      const waiting = catchFault(due, () => []).filter(({ text }) => text !== "");
      const found = waiting.flatMap(({ log }) => describeLogObstacle(parts.root, getLogPath(log)) ?? []);
      return found.length === 0 ? undefined : { found: [...new Set(found)].join(" "), fix: LOG_FIX };
    },
  };
}

type PendingLog = ReturnType<typeof listPendingLogs>[number];

function listPendingLogs(db: DatabaseReader, checkout: string) {
  const kept = hasFirstSchema(db) ? undefined : listSpaceValues(db, LOG_SPACE).get(checkout);
  const places: Partial<Record<EventLogName, LogPosition>> = kept ?? {};
  const readBatch = memoizeByKey((seq: number) => readLogBatch(db, checkout, seq));
  return EVENT_LOG_NAMES.map((log) => {
    const place = places[log] ?? { seq: 0, size: 0 };
    const { texts, seq, isPart } = readBatch(place.seq);
    return { log, place, text: texts.get(log) ?? "", seq, isPart };
  });
}

function readLogBatch(db: DatabaseReader, checkout: string, after: number) {
  const events = listRecordedEvents(db, after, LOG_BATCH_EVENTS, checkout);
  const ids = events.filter(({ kind }) => kind.startsWith("workflow.")).map(({ subject }) => subject);
  const starts = selectRows<{ readonly subject: string; readonly kind: string }>(
    db,
    `SELECT subject, data ->> 'kind' AS kind FROM events
     WHERE kind = 'workflow.started' AND subject IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  );
  const kinds = new Map(starts.map(({ subject, kind }) => [subject, kind]));
  const texts = new Map<EventLogName, string>();
  for (const event of events) {
    const told = formatEventLog(event, kinds.get(event.subject));
    if (told) texts.set(told.log, `${texts.get(told.log) ?? ""}${told.line}\n`);
  }
  return { texts, seq: events.at(-1)?.seq ?? after, isPart: events.length === LOG_BATCH_EVENTS };
}

/** Needs the ledger lock. A log that cannot be written keeps its position; the others continue. */
function extendAllLogs(parts: LogParts) {
  const { ledger, checkout } = parts;
  const due = listPendingLogs(ledger, checkout);
  const extended = due.map((each) => extendLog(parts, each));
  const value = Object.fromEntries(extended.map(({ log, place }) => [log, place]));
  const isNew = extended.some(({ place }, i) => JSON.stringify(place) !== JSON.stringify(due[i]?.place));
  if (isNew) writeSpaceValues(ledger, [{ space: LOG_SPACE, key: checkout, value }]);
  return extended;
}

function extendLog({ root, newId }: LogParts, { log, place, text, seq, isPart }: PendingLog) {
  const path = getLogPath(log);
  try {
    if (text === "") return { log, place: { seq, size: place.size }, isMore: isPart };
    const obstacle = describeLogObstacle(root, path);
    if (obstacle !== undefined)
      throw new Fault("files.unwritable", { what: `${path} cannot be written.`, why: obstacle, fix: LOG_FIX });
    makeMachineFolder(join(root, MACHINE_FOLDER), newId);
    fs.mkdirSync(join(root, LOG_FOLDER), { recursive: true, mode: 0o700 });
    return { log, place: { seq, size: appendLogOnce(join(root, path), text, place.size) }, isMore: isPart };
  } catch (error) {
    if (!(error instanceof Fault) && readErrorCode(error) === undefined) throw error;
    const { why } = toFileFault(error, path, "write");
    const delay = "Your work is safe. Tenon adds the missing entries after you fix it.";
    const notice = why === place.told ? undefined : `${path} cannot be written. ${why} ${delay}`;
    return { log, place: { ...place, told: why }, isMore: false, notice };
  }
}

/** Bytes. A larger log is rotated to `.1` and replaces the previous one there. */
export const LONGEST_LOG = 5 * 1024 * 1024;

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const APPEND_LOG_FLAGS = O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
const LINE_BREAK = Buffer.from("\n");

/** A killed process left the beginning of the same text, so only the rest is missing. User edits are not errors. */
function appendLogOnce(place: string, text: string, known: number): number {
  const bytes = Buffer.from(text);
  const fd = fs.openSync(place, APPEND_LOG_FLAGS, 0o600);
  try {
    const { size } = fs.fstatSync(fd);
    const isOurs = (more: number): boolean =>
      more > 0 && more <= bytes.length && readLogPart(fd, size - more, more).equals(bytes.subarray(0, more));
    const done = size === known ? 0 : ([size - known, size].find(isOurs) ?? 0);
    const isRoom = done > 0 || size === 0 || size + bytes.length <= LONGEST_LOG;
    if (isRoom) {
      const isLineStart = done > 0 || size === 0 || readLogPart(fd, size - 1, 1).equals(LINE_BREAK);
      const rest = isLineStart ? bytes.subarray(done) : Buffer.concat([LINE_BREAK, bytes]);
      fs.writeFileSync(fd, rest);
      return size + rest.length;
    }
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(place, `${place}.1`);
  return appendLogOnce(place, text, 0);
}

function readLogPart(fd: number, from: number, length: number): Buffer {
  const part = Buffer.alloc(length);
  return part.subarray(0, fs.readSync(fd, part, 0, length, from));
}

function describeLogObstacle(root: string, log: WorkspacePath): string | undefined {
  for (const path of [MACHINE_FOLDER, LOG_FOLDER, log]) {
    const place = join(root, path);
    try {
      const stat = fs.lstatSync(place, { throwIfNoEntry: false });
      if (stat?.isSymbolicLink()) return `${path} is a symbolic link.`;
      if (stat && path === log && !stat.isFile()) return `${path} is not a file.`;
      if (stat && path !== log && !stat.isDirectory()) return `${path} is not a folder.`;
      fs.accessSync(stat ? place : dirname(place), fs.constants.W_OK);
      if (!stat) return undefined;
    } catch (error) {
      return `${path}: ${toFileFault(error, path, "write").why}`;
    }
  }
  return undefined;
}
