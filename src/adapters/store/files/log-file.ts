import fs from "node:fs";
import { dirname, join } from "node:path";
import { LOG_FOLDER, MACHINE_FOLDER, type Path } from "#domain/workspace/path.ts";
import { asFault } from "./error.ts";
import { makeMachineFolder } from "./machine-folder.ts";

/** A log that would outgrow this is set aside; the one that was set aside before it goes. */
export const LONGEST_LOG = 5 * 1024 * 1024;

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Windows has neither of the last two. */
const FLAGS = O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
const LINE_BREAK = Buffer.from("\n");

/** The folder of the logs, and what is above it in the workspace: only the owner looks into it. */
export function makeLogFolder(root: string, newId: () => string): void {
  makeMachineFolder(join(root, MACHINE_FOLDER), newId);
  fs.mkdirSync(join(root, LOG_FOLDER), { recursive: true, mode: 0o700 });
}

/**
 * Appends to a log of which `known` bytes are accounted for, and gives its size then. Whoever died between an append
 * and taking note of it left the beginning of the same text, so that only the rest is missing. What a person wrote into
 * the log, took out of it or moved away is no failure.
 */
export function appendOnce(place: string, text: string, known: number): number {
  const bytes = Buffer.from(text);
  const fd = fs.openSync(place, FLAGS, 0o600);
  try {
    const { size } = fs.fstatSync(fd);
    const done = alreadyThere(fd, size, bytes, known);
    const isRoom = done > 0 || size === 0 || size + bytes.length <= LONGEST_LOG;
    if (isRoom) return size + write(fd, done > 0 ? bytes.subarray(done) : onOwnLine(fd, size, bytes));
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(place, `${place}.1`);
  return appendOnce(place, text, 0);
}

/** Behind what is accounted for, or from the beginning where the log was set aside or made anew since. */
function alreadyThere(fd: number, size: number, bytes: Buffer, known: number): number {
  if (size === known) return 0;
  const isOurs = (more: number): boolean =>
    more > 0 && more <= bytes.length && partOf(fd, size - more, more).equals(bytes.subarray(0, more));
  return [size - known, size].find(isOurs) ?? 0;
}

function onOwnLine(fd: number, size: number, bytes: Buffer): Buffer {
  const isOwn = size === 0 || partOf(fd, size - 1, 1).equals(LINE_BREAK);
  return isOwn ? bytes : Buffer.concat([LINE_BREAK, bytes]);
}

function partOf(fd: number, from: number, length: number): Buffer {
  const part = Buffer.alloc(length);
  return part.subarray(0, fs.readSync(fd, part, 0, length, from));
}

function write(fd: number, bytes: Buffer): number {
  fs.writeFileSync(fd, bytes);
  return bytes.length;
}

/** What keeps a log from being written, as far as a look can tell. A link is never followed. */
export function obstacleTo(root: string, log: Path): string | undefined {
  for (const path of [MACHINE_FOLDER, LOG_FOLDER, log]) {
    const place = join(root, path);
    try {
      const stat = fs.lstatSync(place, { throwIfNoEntry: false });
      const wrong = stat && unfit(stat, path === log);
      if (wrong !== undefined) return `${path} is ${wrong}.`;
      fs.accessSync(stat ? place : dirname(place), fs.constants.W_OK);
      if (!stat) return undefined;
    } catch (error) {
      return `${path}: ${asFault(error, path, "write").why}`;
    }
  }
  return undefined;
}

function unfit(stat: fs.Stats, isLog: boolean): string | undefined {
  if (stat.isSymbolicLink()) return "a symbolic link";
  if (isLog) return stat.isFile() ? undefined : "not a file";
  return stat.isDirectory() ? undefined : "not a folder";
}
