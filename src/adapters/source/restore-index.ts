import { type GitIndexEntry, readGitIndex } from "./index-entries.ts";
import type { SnapshotIndex, SnapshotIndexEntry } from "./index-part.ts";
import { runGitOrFault, encodeRawPath, type RawPath, type GitRepository } from "./repository.ts";

const INDEX_NOT_RESTORED = "The files are restored, but what was staged of them is not.";
const INDEX_FLAG_OPTIONS = [
  ["isAssumed", "assume-unchanged"],
  ["isSkipped", "skip-worktree"],
] as const;

/**
 * Resets the index entries of these paths; all others stay. Git's own lock guards the index, and an entry that already
 * matches is not written again.
 */
export async function restoreIndexEntries(
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
