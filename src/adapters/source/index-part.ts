import type { Git } from "./git.ts";
import type { IndexEntry } from "./index-entries.ts";
import { DURABLE, insist, isHash, type RawName, rawParts, type Repository } from "./repository.ts";

export const IDENTITY = {
  GIT_AUTHOR_NAME: "Tenon",
  GIT_AUTHOR_EMAIL: "tenon@localhost",
  GIT_COMMITTER_NAME: "Tenon",
  GIT_COMMITTER_EMAIL: "tenon@localhost",
} as const;

export interface KeptEntry {
  readonly mode: string;
  readonly blob: string;
  readonly isIntended: boolean;
  readonly isAssumed: boolean;
  readonly isSkipped: boolean;
}

export interface IndexPart {
  readonly entries: ReadonlyMap<RawName, KeptEntry>;
  readonly absent: ReadonlySet<RawName>;
}

const WHAT = "What is staged cannot be kept.";
const EMPTY_BLOBS = new Set([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]);

/**
 * Stores the index as a commit with two parts: a tree of the entries, and the flags that a tree cannot hold. Undefined
 * while a merge is unresolved.
 */
export async function keepIndex(
  { git }: Repository,
  file: string,
  index: readonly IndexEntry[],
  absent: readonly RawName[],
): Promise<string | undefined> {
  const tree = (await git.ask(["write-tree"], { settings: DURABLE, variables: { GIT_INDEX_FILE: file } }))?.trim();
  if (tree === undefined || index.some(({ stage }) => stage !== "0")) return undefined;
  const isAbsent = new Set(absent);
  const intended = await intendedIn(git, tree, index);
  const marks = index.flatMap(({ path, isAssumed, isSkipped }) => {
    const letters = [
      intended.has(path) ? "i" : "",
      isAssumed ? "v" : "",
      isSkipped ? "s" : "",
      isAbsent.has(path) ? "a" : "",
    ].join("");
    return letters === "" ? [] : [`${letters} ${path}\0`];
  });
  const input = Buffer.from(marks.join(""), "latin1");
  const blob = await hashOf(git, ["hash-object", "-w", "--stdin"], input);
  const both = await hashOf(git, ["mktree"], `040000 tree ${tree}\tindex\n100644 blob ${blob}\tmarks\n`);
  return hashOf(git, ["commit-tree", both, "-F", "-"], "What was staged\n");
}

async function hashOf(git: Git, words: readonly string[], input: string | Buffer): Promise<string> {
  return (await insist(git, WHAT, words, { input, settings: DURABLE, variables: IDENTITY })).toString("utf8").trim();
}

/** Entries from `git add -N` are in the index as empty files, and in no tree. */
async function intendedIn(git: Git, tree: string, index: readonly IndexEntry[]): Promise<ReadonlySet<RawName>> {
  const empty = index.filter(({ blob }) => EMPTY_BLOBS.has(blob));
  if (empty.length === 0) return new Set();
  const written = new Set((await listTree(git, tree)).map(({ path }) => path));
  return new Set(empty.map(({ path }) => path).filter((path) => !written.has(path)));
}

export async function listTree(
  git: Git,
  tree: string,
): Promise<{ readonly path: RawName; readonly mode: string; readonly blob: string }[]> {
  const words = ["ls-tree", "-r", "-z", tree];
  const out = await insist(git, "A snapshot cannot be read.", words, { largestAnswer: 2 ** 30 });
  return rawParts(out).flatMap((line) => {
    const [, mode, blob, path] = /^(\d{6}) \S+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return mode !== undefined && blob !== undefined && path !== undefined ? [{ path, mode, blob }] : [];
  });
}

const TRAILER = /\nTenon-Index: (\S+)\n*$/;

export const withTrailer = (message: string, index: string | undefined): string =>
  `${message.trim()}\n\nTenon-Index: ${index ?? "none"}\n`;

export async function readIndexPart(git: Git, snapshot: string): Promise<IndexPart | undefined> {
  const message = await insist(git, "A snapshot cannot be read.", ["cat-file", "commit", snapshot]);
  const commit = TRAILER.exec(message.toString("latin1"))?.[1];
  if (commit === undefined || !isHash(commit)) return undefined;
  const marks = new Map(
    rawParts(await insist(git, "A snapshot cannot be read.", ["cat-file", "blob", `${commit}:marks`])).map((line) => {
      const end = line.indexOf(" ");
      return [line.slice(end + 1), line.slice(0, end)];
    }),
  );
  const entries = new Map<RawName, KeptEntry>();
  const add = (path: RawName, mode: string, blob: string): void => {
    const mark = marks.get(path) ?? "";
    const [isIntended, isAssumed, isSkipped] = [mark.includes("i"), mark.includes("v"), mark.includes("s")];
    entries.set(path, { mode, blob, isIntended, isAssumed, isSkipped });
  };
  for (const { path, mode, blob } of await listTree(git, `${commit}:index`)) add(path, mode, blob);
  for (const [path, mark] of marks) if (mark.includes("i")) add(path, "100644", "");
  return { entries, absent: new Set([...marks].filter(([, mark]) => mark.includes("a")).map(([path]) => path)) };
}
