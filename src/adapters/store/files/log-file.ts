import fs from "node:fs";
import { dirname, join } from "node:path";
import { LOG_FOLDER, MACHINE_FOLDER, type WorkspacePath } from "#domain/workspace/path.ts";
import { toFileFault } from "./error.ts";
import { makeMachineFolder } from "./machine-folder.ts";

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
    if (isRoom) return size + appendLogBytes(fd, done > 0 ? bytes.subarray(done) : startOnOwnLine(fd, size, bytes));
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

function appendLogBytes(fd: number, bytes: Buffer): number {
  fs.writeFileSync(fd, bytes);
  return bytes.length;
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
