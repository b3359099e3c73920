import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import type { SnapshotFile } from "../operations/ports/git-files.ts";
import { type GitCommand, findGitSetting } from "./git-command.ts";
import { runGitOrFault } from "./git-repository.ts";
import { publishFile, syncFolder } from "#kernel/adapters/durable-file.ts";

/**
 * The state of a path: a file or link in git's terms, nothing, a folder, or `other` for anything to leave alone.
 * `blocked`: a file or link occupies the position of one of its folders.
 */
export type WorkingFileState = SnapshotFile | "nothing" | "folder" | "blocked" | "other";

type HashFormat = "sha1" | "sha256";

const HASH_CHUNK_BYTES = 1024 * 1024;
const READ_WORKING_FILE = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** Never follows links and never enters nested repositories. */
export function readWorkingFileState(root: string, path: string, format: HashFormat): WorkingFileState {
  if (!isUserPath(path)) return "other";
  const way = checkParentFolders(root, path);
  if (way !== "clear") return way === "missing" ? "nothing" : way;
  try {
    const place = join(root, path);
    const stat = fs.lstatSync(place, { throwIfNoEntry: false });
    if (!stat) return "nothing";
    if (stat.isSymbolicLink()) {
      const target = fs.readlinkSync(place, { encoding: "buffer" });
      return { mode: "120000", blob: createBlobHash(format, target.length).update(target).digest("hex") };
    }
    if (stat.isDirectory()) return "folder";
    const blob = stat.isFile() ? hashWorkingFile(place, format) : undefined;
    return blob === undefined ? "other" : { mode: stat.mode & 0o100 ? "100755" : "100644", blob };
  } catch {
    return "other";
  }
}

export const isReachablePath = (root: string, path: string): boolean =>
  isUserPath(path) && checkParentFolders(root, path) === "clear";

function isUserPath(path: string): boolean {
  const parts = path.split("/");
  const isOdd = (part: string): boolean =>
    part === "" || part === "." || part === ".." || /^(?:\.git|git~\d+)$/i.test(part) || part.includes("\0");
  return !parts.some(isOdd) && parts[0] !== ".sdd" && (process.platform !== "win32" || !/[\\:]/.test(path));
}

function checkParentFolders(root: string, path: string): "clear" | "missing" | "blocked" | "other" {
  const parts = dirname(path).split("/");
  for (const [i] of parts.entries()) {
    if (parts[0] === ".") return "clear";
    const folder = join(root, ...parts.slice(0, i + 1));
    const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (!stat) return "missing";
    if (!stat.isDirectory()) return "blocked";
    if (fs.existsSync(join(folder, ".git"))) return "other";
  }
  return "clear";
}

function hashWorkingFile(place: string, format: HashFormat): string | undefined {
  const fd = fs.openSync(place, READ_WORKING_FILE);
  try {
    const { size } = fs.fstatSync(fd);
    const hash = createBlobHash(format, size);
    const chunk = Buffer.alloc(Math.min(HASH_CHUNK_BYTES, size + 1));
    let read = 0;
    for (let got = fs.readSync(fd, chunk); got > 0; got = fs.readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, got));
      read += got;
    }
    return read === size ? hash.digest("hex") : undefined;
  } finally {
    fs.closeSync(fd);
  }
}

const createBlobHash = (format: HashFormat, size: number) => createHash(format).update(`blob ${size}\0`);

/** Next to its target and always the same, so that the next run after a crash finds and removes it. */
const formatTemporaryPath = (root: string, path: string): string =>
  join(root, dirname(path), `.tenon-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`);

export function removeTemporaryFile(root: string, path: string): void {
  const place = formatTemporaryPath(root, path);
  if (fs.lstatSync(place, { throwIfNoEntry: false })) fs.rmSync(place);
}

/** Writes a file or link atomically, with the bytes in git, unconverted. */
export async function writeWorkingFile(
  git: GitCommand,
  root: string,
  path: string,
  { mode, blob }: SnapshotFile,
): Promise<void> {
  const place = join(root, path);
  const temporary = formatTemporaryPath(root, path);
  const what = `${path} cannot be restored.`;
  makeParentFolders(root, dirname(path));
  removeTemporaryFile(root, path);
  if (mode === "120000" && findGitSetting(git.listing, "core.symlinks") !== "false") {
    fs.symlinkSync(await runGitOrFault(git, what, ["cat-file", "blob", blob]), temporary);
  } else {
    const fd = fs.openSync(temporary, "wx", mode === "100755" ? 0o777 : 0o666);
    try {
      await runGitOrFault(git, what, ["cat-file", "blob", blob], { output: fd });
      copyFilePermissions(fd, place, mode === "100755");
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
  publishFile(temporary, place);
}

function copyFilePermissions(fd: number, place: string, isExecutable: boolean): void {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!stat?.isFile()) return;
  const plain = stat.mode & 0o666;
  fs.fchmodSync(fd, isExecutable ? plain | ((plain & 0o444) >> 2) : plain);
}

function makeParentFolders(root: string, folder: string): void {
  if (folder === "." || fs.existsSync(join(root, folder))) return;
  makeParentFolders(root, dirname(folder));
  fs.mkdirSync(join(root, folder));
  syncFolder(dirname(join(root, folder)));
}

export function removeWorkingFile(root: string, path: string, mayGo: (folder: string) => boolean): void {
  if (fs.lstatSync(join(root, path), { throwIfNoEntry: false })) fs.rmSync(join(root, path));
  let folder = dirname(path);
  for (; folder !== "." && mayGo(folder); folder = dirname(folder)) {
    const names = fs.existsSync(join(root, folder)) ? fs.readdirSync(join(root, folder)) : undefined;
    if (names?.length) break;
    if (names) fs.rmdirSync(join(root, folder));
  }
  if (fs.existsSync(join(root, folder))) syncFolder(join(root, folder));
}
