import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { toFileFault } from "#kernel/model/system-error.ts";
import { publishFile, syncFolder } from "#kernel/adapters/durable-file.ts";
import type { SnapshotFile, RestoreResult, SnapshotStore } from "../operations/ports/git-files.ts";
import { findGitSetting } from "./git-command.ts";
import { listTree } from "./git-objects.ts";
import type { GitIndexEntry, SnapshotIndex, SnapshotIndexEntry } from "./git-index.ts";
import { readGitIndex, readSnapshotIndex } from "./git-index.ts";
import { decodeRawPath, encodeRawPath, type GitRepository, runGitOrFault, type RawPath } from "./git-repository.ts";

type SnapshotFiles = ReadonlyMap<string, SnapshotFile>;

type HashFormat = "sha1" | "sha256";

/**
 * Checks each path right before changing it, and recognises finished work by the file that is already there, so it may
 * be killed at any point and called again. Deletions come first, deepest path first, so that files and folders can
 * replace each other.
 */
export async function restoreSnapshot(
  repository: GitRepository,
  { from, to, paths }: Parameters<SnapshotStore["restore"]>[0],
): Promise<RestoreResult> {
  const staged = await readSnapshotIndex(repository, to);
  const before = await listSnapshotFiles(repository, from, await readSnapshotIndex(repository, from));
  const after = await listSnapshotFiles(repository, to, staged);
  const format = to.length === 64 ? "sha256" : "sha1";
  const folders = new Set([...after.keys()].flatMap(listParentFolders));
  const isSame = createEntryComparison(repository);
  const { root } = repository;
  // Whether the path now matches the target. False when another program changed it; then the path is not touched.
  const restorePath = async (path: string): Promise<boolean> => {
    const [was, becomes] = [before.get(path), after.get(path)];
    if (isSubmoduleEntry(was) || isSubmoduleEntry(becomes)) return was?.blob === becomes?.blob;
    tryRemoveTemporaryFile(root, path);
    const found = readWorkingFileState(root, path, format);
    if (found === "other") return false;
    if (found === "folder" || found === "blocked") {
      // The path has no file. That is correct if the target has none either, and the old snapshot had none or the
      // target has a folder here or a file above.
      const above = listParentFolders(path).findLast((folder) => after.has(folder));
      const isBelowFile = above !== undefined && !isSubmoduleEntry(after.get(above));
      return becomes === undefined && (was === undefined || folders.has(path) || isBelowFile);
    }
    const isBecome = isSame(found, becomes);
    if (!isBecome && !isSame(found, was)) return false;
    const mayGo = (folder: string): boolean => !folders.has(folder) && !isSubmoduleEntry(after.get(folder));
    try {
      if (becomes === undefined && was !== undefined) removeWorkingFile(root, path, mayGo);
      if (becomes !== undefined && !isBecome) await writeWorkingFile(repository, path, becomes);
    } catch (error) {
      tryRemoveTemporaryFile(root, path);
      throw toFileFault(error, path, "write");
    }
    return true;
  };
  const own = [...new Set(paths)].toSorted();
  const [going, coming] = [own.filter((path) => !after.has(path)), own.filter((path) => after.has(path))];
  const foreign = new Set<string>();
  for (const path of [...going.toReversed(), ...coming]) if (!(await restorePath(path))) foreign.add(path);
  const isDone = (path: string): boolean => !foreign.has(path);
  if (staged) await restoreIndexEntries(repository, staged, own.filter(isDone).map(encodeRawPath));
  const isTold = (path: string): boolean => isDone(path) && !isSame(before.get(path) ?? "nothing", after.get(path));
  return { restored: coming.filter(isTold), deleted: going.filter(isTold), foreign: [...foreign].toSorted() };
}

const isSubmoduleEntry = (kept: SnapshotFile | undefined): boolean => kept?.mode === "160000";

async function listSnapshotFiles(
  repository: GitRepository,
  snapshot: string,
  staged: SnapshotIndex | undefined,
): Promise<SnapshotFiles> {
  const files = [...(await listTree(repository, snapshot))].filter(([path]) => !staged?.absent.has(path));
  return new Map(
    files.flatMap(([path, file]) => {
      const name = decodeRawPath(path);
      return name === undefined ? [] : [[name, file] as const];
    }),
  );
}

/** Where the file system has no executable bit or no links, git trusts its index, and so does this comparison. */
function createEntryComparison({ git }: GitRepository) {
  const knowsModes = findGitSetting(git.listing, "core.fileMode") !== "false";
  const knowsLinks = findGitSetting(git.listing, "core.symlinks") !== "false";
  return (found: SnapshotFile | "nothing", kept: SnapshotFile | undefined): boolean => {
    if (found === "nothing" || kept === undefined) return found === "nothing" && kept === undefined;
    if (found.blob !== kept.blob) return false;
    if (found.mode === kept.mode) return true;
    const isLink = found.mode === "120000" || kept.mode === "120000";
    return isLink ? !knowsLinks && found.mode !== "120000" : !knowsModes;
  };
}

const INDEX_NOT_RESTORED = "The files are restored, but not what was staged.";
const MARK_INTENT_TO_ADD = "add --intent-to-add --force --ignore-errors --pathspec-from-file=- --pathspec-file-nul";
const INDEX_FLAG_OPTIONS = { isAssumed: "assume-unchanged", isSkipped: "skip-worktree" } as const;

/** Git's own lock guards the index, and an entry that already matches is not written again. */
async function restoreIndexEntries(
  repository: GitRepository,
  part: SnapshotIndex,
  paths: readonly RawPath[],
): Promise<void> {
  const now = new Map((await readGitIndex(repository)).map((entry) => [entry.path, entry]));
  const top = encodeRawPath(repository.prefix);
  const own = new Set(paths);
  const others = new Set([...now.keys()].filter((path) => !own.has(path)));
  const folders = new Set([...others].flatMap(listParentFolders));
  const isFree = (path: RawPath): boolean =>
    !folders.has(path) && !listParentFolders(path).some((folder) => others.has(folder));
  const todo = new Set(
    paths.filter((path) => isFree(path) && !isSameIndexEntry(now.get(path), part.entries.get(path))),
  );
  const lines = [...todo].map((path) => {
    const entry = part.entries.get(path);
    const info = entry === undefined || entry.isIntended ? `0 ${repository.zeros}` : `${entry.mode} ${entry.blob}`;
    return `${info}\t${top}${path}\0`;
  });
  await updateIndexInPortions(repository, ["update-index", "-z", "--index-info"], lines);
  // Like `git add -N`. A missing file cannot be marked; it just stays unstaged.
  const intended = [...todo].filter((path) => part.entries.get(path)?.isIntended).map((path) => `${path}\0`);
  for (const input of splitIntoPortions(intended))
    await repository.git.run(MARK_INTENT_TO_ADD.split(" "), { input, variables: { GIT_LITERAL_PATHSPECS: "1" } });
  for (const mark of ["isAssumed", "isSkipped"] as const) {
    const changed = paths.filter((path) => {
      const [is, was] = [todo.has(path) ? undefined : now.get(path), part.entries.get(path)];
      return was !== undefined && isFree(path) && was[mark] !== (is?.[mark] ?? false);
    });
    for (const value of [true, false]) {
      const named = changed.filter((path) => part.entries.get(path)?.[mark] === value).map((path) => `${path}\0`);
      const option = `--${value ? "" : "no-"}${INDEX_FLAG_OPTIONS[mark]}`;
      await updateIndexInPortions(repository, ["update-index", option, "-z", "--stdin"], named);
    }
  }
}

async function updateIndexInPortions(
  { git }: GitRepository,
  words: readonly string[],
  lines: readonly string[],
): Promise<void> {
  for (const input of splitIntoPortions(lines)) await runGitOrFault(git, INDEX_NOT_RESTORED, words, { input });
}

/** Bytes, below the size of a pipe buffer. Git outlives a killed caller and must never read half a name. */
const LARGEST_PORTION = 32_768;

function splitIntoPortions(lines: readonly string[]): Buffer[] {
  const portions: string[] = [];
  for (const line of lines) {
    const last = portions.at(-1);
    if (last === undefined || last.length + line.length > LARGEST_PORTION) portions.push(line);
    else portions[portions.length - 1] = last + line;
  }
  return portions.map((text) => Buffer.from(text, "latin1"));
}

const listParentFolders = (path: RawPath): RawPath[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join("/"));

/** An entry from `git add -N` has the hash of an empty file, so it never counts as equal. */
function isSameIndexEntry(now: GitIndexEntry | undefined, was: SnapshotIndexEntry | undefined): boolean {
  if (now === undefined || was === undefined) return now === undefined && was === undefined;
  return now.stage === "0" && now.mode === was.mode && now.blob === was.blob && !was.isIntended;
}

/**
 * The state of a path: a file or link in git's terms, nothing, a folder, or `other` for anything to leave alone.
 * `blocked`: a file or link occupies the position of one of its folders.
 */
type WorkingFileState = SnapshotFile | "nothing" | "folder" | "blocked" | "other";

const HASH_CHUNK_BYTES = 1024 * 1024;
const READ_WORKING_FILE = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** Never follows links and never enters nested repositories. */
function readWorkingFileState(root: string, path: string, format: HashFormat): WorkingFileState {
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

function removeTemporaryFile(root: string, path: string): void {
  const place = formatTemporaryPath(root, path);
  if (fs.lstatSync(place, { throwIfNoEntry: false })) fs.rmSync(place);
}

/** A leftover that cannot be removed matters only if its place is needed. */
function tryRemoveTemporaryFile(root: string, path: string): void {
  try {
    if (isUserPath(path) && checkParentFolders(root, path) === "clear") removeTemporaryFile(root, path);
  } catch {
    // Writing the file reports it.
  }
}

/** Writes a file or link atomically, with the bytes in git, unconverted. */
async function writeWorkingFile(
  { git, root }: GitRepository,
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
      const stat = fs.lstatSync(place, { throwIfNoEntry: false });
      const plain = (stat?.mode ?? 0) & 0o666;
      if (stat?.isFile()) fs.fchmodSync(fd, mode === "100755" ? plain | ((plain & 0o444) >> 2) : plain);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }
  publishFile(temporary, place);
}

function makeParentFolders(root: string, folder: string): void {
  if (folder === "." || fs.existsSync(join(root, folder))) return;
  makeParentFolders(root, dirname(folder));
  fs.mkdirSync(join(root, folder));
  syncFolder(dirname(join(root, folder)));
}

function removeWorkingFile(root: string, path: string, mayGo: (folder: string) => boolean): void {
  if (fs.lstatSync(join(root, path), { throwIfNoEntry: false })) fs.rmSync(join(root, path));
  let folder = dirname(path);
  for (; folder !== "." && mayGo(folder); folder = dirname(folder)) {
    const names = fs.existsSync(join(root, folder)) ? fs.readdirSync(join(root, folder)) : undefined;
    if (names?.length) break;
    if (names) fs.rmdirSync(join(root, folder));
  }
  if (fs.existsSync(join(root, folder))) syncFolder(join(root, folder));
}
