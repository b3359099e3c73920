import { dirname } from "node:path";
import type { SnapshotFile, RestoreResult, SnapshotStore } from "../operations/ports/git-files.ts";
import { findGitSetting } from "./git-command.ts";
import { listTree } from "./git-objects.ts";
import {
  type SnapshotIndex,
  readSnapshotIndex,
  type GitIndexEntry,
  readGitIndex,
  type SnapshotIndexEntry,
} from "./git-index.ts";
import {
  writeWorkingFile,
  removeWorkingFile,
  removeTemporaryFile,
  readWorkingFileState,
  isReachablePath,
} from "./working-files.ts";
import { decodeRawPath, encodeRawPath, type GitRepository, runGitOrFault, type RawPath } from "./git-repository.ts";

type RestoreRequest = Parameters<SnapshotStore["restore"]>[0];

type SnapshotFiles = ReadonlyMap<string, SnapshotFile>;

interface RestoreWork {
  readonly repository: GitRepository;
  readonly before: SnapshotFiles;
  readonly after: SnapshotFiles;
  readonly folders: ReadonlySet<string>;
  readonly format: "sha1" | "sha256";
  readonly isSame: (found: SnapshotFile | "nothing", kept: SnapshotFile | undefined) => boolean;
}

/**
 * Checks each path right before changing it, and recognises finished work by the file that is already there, so it may
 * be killed at any point and called again. Deletions come first, deepest path first, so that files and folders can
 * replace each other.
 */
export async function restoreSnapshot(
  repository: GitRepository,
  { from, to, paths }: RestoreRequest,
): Promise<RestoreResult> {
  const staged = await readSnapshotIndex(repository, to);
  const before = await listSnapshotFiles(repository, from, await readSnapshotIndex(repository, from));
  const after = await listSnapshotFiles(repository, to, staged);
  const format = to.length === 64 ? "sha256" : "sha1";
  const work: RestoreWork = {
    repository,
    before,
    after,
    folders: listSnapshotFolders(after),
    format,
    isSame: createEntryComparison(repository),
  };
  const own = [...new Set(paths)].toSorted();
  const [going, coming] = [own.filter((path) => !after.has(path)), own.filter((path) => after.has(path))];
  const foreign = new Set<string>();
  for (const path of [...going.toReversed(), ...coming])
    if (!(await restoreSnapshotPath(work, path))) foreign.add(path);
  const isDone = (path: string): boolean => !foreign.has(path);
  if (staged) await restoreIndexEntries(repository, staged, own.filter(isDone).map(encodeRawPath));
  const isTold = (path: string): boolean =>
    isDone(path) && !work.isSame(before.get(path) ?? "nothing", after.get(path));
  return { restored: coming.filter(isTold), deleted: going.filter(isTold), foreign: [...foreign].toSorted() };
}

/**
 * Whether the path now matches the target snapshot. False when another program changed it; then the path is not
 * touched.
 */
async function restoreSnapshotPath(work: RestoreWork, path: string): Promise<boolean> {
  const { before, after, folders, isSame } = work;
  const { git, root } = work.repository;
  const [was, becomes] = [before.get(path), after.get(path)];
  if (isSubmoduleEntry(was) || isSubmoduleEntry(becomes)) return was?.blob === becomes?.blob;
  if (isReachablePath(root, path)) removeTemporaryFile(root, path);
  const found = readWorkingFileState(root, path, work.format);
  if (found === "other") return false;
  if (found === "folder" || found === "blocked") {
    // The path has no file. That is correct if the target has none either, and the old snapshot had none or the target
    // has a folder here or a file above.
    const isMeant = was === undefined || folders.has(path) || isPathBelowFile(after, path);
    return becomes === undefined && isMeant;
  }
  const isBecome = isSame(found, becomes);
  if (!isBecome && !isSame(found, was)) return false;
  if (becomes === undefined) {
    if (was !== undefined)
      removeWorkingFile(root, path, (folder) => !folders.has(folder) && !isSubmoduleEntry(after.get(folder)));
  } else if (!isBecome) await writeWorkingFile(git, root, path, becomes);
  return true;
}

function isPathBelowFile(files: SnapshotFiles, path: string): boolean {
  for (let folder = dirname(path); folder !== "." && folder !== "/"; folder = dirname(folder)) {
    const file = files.get(folder);
    if (file) return !isSubmoduleEntry(file);
  }
  return false;
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

function listSnapshotFolders(files: SnapshotFiles): Set<string> {
  const folders = new Set<string>();
  for (const path of files.keys()) {
    for (let folder = dirname(path); folder !== "." && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  }
  return folders;
}

/** Where the file system has no executable bit or no links, git trusts its index, and so does this comparison. */
function createEntryComparison({ git }: GitRepository): RestoreWork["isSame"] {
  const knowsModes = findGitSetting(git.listing, "core.fileMode") !== "false";
  const knowsLinks = findGitSetting(git.listing, "core.symlinks") !== "false";
  return (found, kept) => {
    if (found === "nothing" || kept === undefined) return found === "nothing" && kept === undefined;
    if (found.blob !== kept.blob) return false;
    if (found.mode === kept.mode) return true;
    const isLink = found.mode === "120000" || kept.mode === "120000";
    return isLink ? !knowsLinks && found.mode !== "120000" : !knowsModes;
  };
}

const INDEX_NOT_RESTORED = "The files are restored, but what was staged of them is not.";
const INDEX_FLAG_OPTIONS = [
  ["isAssumed", "assume-unchanged"],
  ["isSkipped", "skip-worktree"],
] as const;

/**
 * Resets the index entries of these paths; all others stay. Git's own lock guards the index, and an entry that already
 * matches is not written again.
 */
async function restoreIndexEntries(
  repository: GitRepository,
  part: SnapshotIndex,
  paths: readonly RawPath[],
): Promise<void> {
  const now = new Map((await readGitIndex(repository)).map((entry) => [entry.path, entry]));
  const top = encodeRawPath(repository.prefix);
  const own = new Set(paths);
  const isFree = createIndexSpaceTest([...now.keys()].filter((path) => !own.has(path)));
  const todo = new Set(
    paths.filter((path) => isFree(path) && !isSameIndexEntry(now.get(path), part.entries.get(path))),
  );
  const lines = [...todo].map(
    (path) => `${formatIndexInfo(part.entries.get(path)) ?? `0 ${repository.zeros}`}\t${top}${path}\0`,
  );
  await updateIndexInPortions(repository, ["update-index", "-z", "--index-info"], lines);
  const intended = [...todo].filter((path) => part.entries.get(path)?.isIntended);
  await markIntentToAdd(repository, intended);
  for (const [mark, option] of INDEX_FLAG_OPTIONS) {
    const changed = paths.filter((path) => {
      const [is, was] = [todo.has(path) ? undefined : now.get(path), part.entries.get(path)];
      return was !== undefined && isFree(path) && was[mark] !== (is?.[mark] ?? false);
    });
    for (const value of [true, false]) {
      const named = changed.filter((path) => part.entries.get(path)?.[mark] === value).map((path) => `${path}\0`);
      await updateIndexInPortions(
        repository,
        ["update-index", `--${value ? "" : "no-"}${option}`, "-z", "--stdin"],
        named,
      );
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

/** Like `git add -N`. A missing file cannot be marked; it just stays unstaged. */
async function markIntentToAdd({ git }: GitRepository, paths: readonly RawPath[]): Promise<void> {
  const words = [
    "add",
    "--intent-to-add",
    "--force",
    "--ignore-errors",
    "--pathspec-from-file=-",
    "--pathspec-file-nul",
  ];
  for (const input of splitIntoPortions(paths.map((path) => `${path}\0`)))
    await git.run(words, { input, variables: { GIT_LITERAL_PATHSPECS: "1" } });
}

function createIndexSpaceTest(others: readonly RawPath[]): (path: RawPath) => boolean {
  const names = new Set(others);
  const folders = new Set(others.flatMap(listParentFolders));
  return (path) => !folders.has(path) && !listParentFolders(path).some((folder) => names.has(folder));
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

function formatIndexInfo(entry: SnapshotIndexEntry | undefined): string | undefined {
  return entry === undefined || entry.isIntended ? undefined : `${entry.mode} ${entry.blob}`;
}
