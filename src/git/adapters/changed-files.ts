import fs from "node:fs";
import type { ChangedFile } from "../operations/ports/git-files.ts";

/** The clock of a file system advances in ticks, so a new file can look this much older than it is. */
export const FILE_CLOCK_TICK_MS = 10;
/** A hook waits for each look. Larger repositories are compared later, when a gate asks. */
const MAX_TRACKED_FILES = 5000;
const MAX_UNTRACKED_FILES = 2000;
const MAX_CHANGED_FILES = 200;
const SKIPPED_FOLDERS = new Set([".git", ".sdd", "node_modules", ".venv", "target"]);
const ENTRY_BYTES = 62;
const NAME_LENGTH_MASK = 0xfff;
const EXTENDED_FLAG = 0x4000;

/**
 * Files that changed between two times, without starting git. Reads the files that git tracks from its index, and looks
 * for new ones in their folders. The newest changes come first. Empty if the index cannot be read.
 */
export function listFilesChangedBetween(root: string, from: number, to: number): ChangedFile[] {
  const tracked = readTrackedPaths(root);
  if (!tracked || tracked.length > MAX_TRACKED_FILES) return [];
  const known = new Set(tracked);
  const folders = new Set(["", ...tracked.map(getFolder)]);
  const changed: ChangedFile[] = [];
  const note = (path: string, place = path): void => {
    const time = fs.lstatSync(`${root}/${place}`, { throwIfNoEntry: false })?.ctimeMs;
    if (time === undefined && place !== "") note(path, getFolder(place));
    else if (time !== undefined && from <= time && time <= to)
      changed.push({ path, changed_ms: place === path ? time : 0 });
  };
  for (const path of tracked) note(path);
  let left = MAX_UNTRACKED_FILES;
  for (const folder of folders) {
    for (const entry of readFolder(`${root}/${folder}`)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (known.has(path) || left-- <= 0) continue;
      if (!entry.isDirectory()) note(path);
      else if (!SKIPPED_FOLDERS.has(entry.name)) folders.add(path);
    }
  }
  return changed.toSorted((one, other) => other.changed_ms - one.changed_ms).slice(0, MAX_CHANGED_FILES);
}

const getFolder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

function readFolder(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Versions 2 to 4 of git's index with hashes of 20 bytes. Undefined for any other. */
function readTrackedPaths(root: string): string[] | undefined {
  try {
    const index = fs.readFileSync(`${findGitFolder(root)}/index`);
    const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
    const paths: string[] = [];
    let at = 12;
    while (paths.length < count) {
      const flags = index.readUInt16BE(at + ENTRY_BYTES - 2);
      let start = at + ENTRY_BYTES + (version >= 3 && (flags & EXTENDED_FLAG) !== 0 ? 2 : 0);
      let shared = "";
      if (version === 4) {
        const { value, end } = readVariableNumber(index, start);
        const before = paths.at(-1) ?? "";
        shared = before.slice(0, before.length - value);
        start = end;
      }
      const end = index.indexOf(0, start);
      // One letter for each byte, because the shared part is counted in bytes.
      const path = shared + index.toString("latin1", start, end);
      const length = flags & NAME_LENGTH_MASK;
      if (end < 0 || (length < NAME_LENGTH_MASK && path.length !== length)) return undefined;
      paths.push(path);
      at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
    }
    return paths.map((path) => Buffer.from(path, "latin1").toString());
  } catch {
    return undefined;
  }
}

function readVariableNumber(bytes: Buffer, start: number): { value: number; end: number } {
  let at = start;
  let byte = bytes.readUInt8(at++);
  let value = byte & 127;
  while (byte >= 128) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 127);
  }
  return { value, end: at };
}

/** A worktree has its index in a folder that its `.git` file names. */
function findGitFolder(root: string): string {
  const place = `${root}/.git`;
  if (fs.statSync(place).isDirectory()) return place;
  const target = /^gitdir: (.+?)\s*$/.exec(fs.readFileSync(place, "utf8"))?.[1] ?? "";
  return target.startsWith("/") ? target : `${root}/${target}`;
}
