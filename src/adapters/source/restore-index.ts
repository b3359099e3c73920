import { type IndexEntry, readIndex } from "./index-entries.ts";
import type { IndexPart, KeptEntry } from "./index-part.ts";
import { insist, rawName, type RawName, type Repository } from "./repository.ts";

const WHAT = "The files are restored, but what was staged of them is not.";
const MARKS = [
  ["isAssumed", "assume-unchanged"],
  ["isSkipped", "skip-worktree"],
] as const;

/**
 * Resets the index entries of these paths; all others stay. Git's own lock guards the index, and an entry that already
 * matches is not written again.
 */
export async function restoreIndex(repository: Repository, part: IndexPart, paths: readonly RawName[]): Promise<void> {
  const now = new Map((await readIndex(repository)).map((entry) => [entry.path, entry]));
  const top = rawName(repository.prefix);
  const own = new Set(paths);
  const isFree = freeIn([...now.keys()].filter((path) => !own.has(path)));
  const todo = new Set(paths.filter((path) => isFree(path) && !isSameEntry(now.get(path), part.entries.get(path))));
  const lines = [...todo].map(
    (path) => `${lineFor(part.entries.get(path)) ?? `0 ${repository.zeros}`}\t${top}${path}\0`,
  );
  await update(repository, ["update-index", "-z", "--index-info"], lines);
  const intended = [...todo].filter((path) => part.entries.get(path)?.isIntended);
  await intend(repository, intended);
  for (const [mark, option] of MARKS) {
    const changed = paths.filter((path) => {
      const [is, was] = [todo.has(path) ? undefined : now.get(path), part.entries.get(path)];
      return was !== undefined && isFree(path) && was[mark] !== (is?.[mark] ?? false);
    });
    for (const value of [true, false]) {
      const named = changed.filter((path) => part.entries.get(path)?.[mark] === value).map((path) => `${path}\0`);
      await update(repository, ["update-index", `--${value ? "" : "no-"}${option}`, "-z", "--stdin"], named);
    }
  }
}

async function update({ git }: Repository, words: readonly string[], lines: readonly string[]): Promise<void> {
  for (const input of portionsOf(lines)) await insist(git, WHAT, words, { input });
}

/** Bytes, below the size of a pipe buffer. Git outlives a killed caller and must never read half a name. */
const PORTION = 32_768;

function portionsOf(lines: readonly string[]): Buffer[] {
  const portions: string[] = [];
  for (const line of lines) {
    const last = portions.at(-1);
    if (last === undefined || last.length + line.length > PORTION) portions.push(line);
    else portions[portions.length - 1] = last + line;
  }
  return portions.map((text) => Buffer.from(text, "latin1"));
}

/** Like `git add -N`. A missing file cannot be marked; it just stays unstaged. */
async function intend({ git }: Repository, paths: readonly RawName[]): Promise<void> {
  const words = [
    "add",
    "--intent-to-add",
    "--force",
    "--ignore-errors",
    "--pathspec-from-file=-",
    "--pathspec-file-nul",
  ];
  for (const input of portionsOf(paths.map((path) => `${path}\0`)))
    await git.run(words, { input, variables: { GIT_LITERAL_PATHSPECS: "1" } });
}

function freeIn(others: readonly RawName[]): (path: RawName) => boolean {
  const names = new Set(others);
  const folders = new Set(others.flatMap(foldersAbove));
  return (path) => !folders.has(path) && !foldersAbove(path).some((folder) => names.has(folder));
}

const foldersAbove = (path: RawName): RawName[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join("/"));

/** An entry from `git add -N` has the hash of an empty file, so it never counts as equal. */
function isSameEntry(now: IndexEntry | undefined, was: KeptEntry | undefined): boolean {
  if (now === undefined || was === undefined) return now === undefined && was === undefined;
  return now.stage === "0" && now.mode === was.mode && now.blob === was.blob && !was.isIntended;
}

function lineFor(entry: KeptEntry | undefined): string | undefined {
  return entry === undefined || entry.isIntended ? undefined : `${entry.mode} ${entry.blob}`;
}
