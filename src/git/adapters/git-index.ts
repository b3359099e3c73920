import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { findGitSetting, type GitCommand } from "./git-command.ts";
import {
  runGitOrFault,
  encodeRawPath,
  splitRawPaths,
  type RawPath,
  type GitRepository,
  DURABLE_WRITES,
  isObjectHash,
} from "./git-repository.ts";

export interface GitIndexEntry {
  readonly path: RawPath;
  readonly mode: string;
  readonly blob: string;
  /** 0, or 1 to 3 for the sides of an unresolved merge. */
  readonly stage: string;
  readonly isAssumed: boolean;
  readonly isSkipped: boolean;
}

const INDEX_ENTRY_LINE = /^(\S) (\d{6}) ([0-9a-f]+) (\d)\t(.*)$/s;

export async function readGitIndex({ git }: GitRepository, file?: string): Promise<GitIndexEntry[]> {
  const asking = file === undefined ? {} : { variables: { GIT_INDEX_FILE: file } };
  const out = await runGitOrFault(git, "The index cannot be read.", ["ls-files", "-z", "-s", "-v"], {
    ...asking,
    largestAnswer: 2 ** 30,
  });
  return splitRawPaths(out).flatMap((line) => {
    const [, tag = "", mode = "", blob = "", stage = "", path = ""] = INDEX_ENTRY_LINE.exec(line) ?? [];
    return path === ""
      ? []
      : [{ path, mode, blob, stage, isAssumed: tag !== tag.toUpperCase(), isSkipped: /s/i.test(tag) }];
  });
}

/**
 * A temporary copy of the index that git may write to; removed on dispose. It lies in the folder where leftovers of a
 * crash are cleaned up.
 */
export function copyGitIndex({ gitFolder }: GitRepository): Disposable & { readonly file: string } {
  const folder = join(gitFolder, "tenon", "files");
  const file = join(folder, `copy-${randomUUID()}`);
  const index = join(gitFolder, "index");
  fs.mkdirSync(folder, { recursive: true });
  if (fs.existsSync(index)) fs.copyFileSync(index, file);
  return { file, [Symbol.dispose]: () => fs.rmSync(file, { force: true }) };
}

/**
 * A temporary index with the same entries and nothing else: no assume-unchanged flags, and no times and sizes that
 * would let git skip a file. So git reads every file. Files left out by a sparse checkout stay skipped.
 */
export async function createFreshIndex(repository: GitRepository): Promise<Disposable & { readonly file: string }> {
  const { git, root, prefix } = repository;
  const entries = await readGitIndex(repository);
  const folder = join(repository.gitFolder, "tenon", "files");
  fs.mkdirSync(folder, { recursive: true });
  const file = join(folder, `copy-${randomUUID()}`);
  const variables = { GIT_INDEX_FILE: file };
  const update = async (words: readonly string[], lines: readonly string[]): Promise<void> => {
    const input = Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1");
    await runGitOrFault(git, "The index cannot be read.", ["update-index", ...words], {
      variables,
      input,
      ...LONG_INDEX_CALL,
    });
  };
  const top = encodeRawPath(prefix);
  await update(
    ["-z", "--index-info"],
    entries.map(({ mode, blob, stage, path }) => `${mode} ${blob} ${stage}\t${top}${path}`),
  );
  if (findGitSetting(git.listing, "core.sparseCheckout") === "true") {
    const isThere = (path: RawPath): boolean => fs.existsSync(Buffer.from(`${encodeRawPath(root)}/${path}`, "latin1"));
    const left = entries.filter(({ isSkipped, path }) => isSkipped && !isThere(path));
    await update(
      ["--skip-worktree", "-z", "--stdin"],
      left.map(({ path }) => path),
    );
  }
  // Exit code 1 means that a file needs an update, which is expected here.
  await git.run(["update-index", "-q", "--refresh"], { variables, ...LONG_INDEX_CALL });
  return { file, [Symbol.dispose]: () => fs.rmSync(file, { force: true }) };
}

const LONG_INDEX_CALL = { longestWaitMs: 600_000, largestAnswer: 2 ** 30 };

export const SNAPSHOT_IDENTITY = {
  GIT_AUTHOR_NAME: "Tenon",
  GIT_AUTHOR_EMAIL: "tenon@localhost",
  GIT_COMMITTER_NAME: "Tenon",
  GIT_COMMITTER_EMAIL: "tenon@localhost",
} as const;

export interface SnapshotIndexEntry {
  readonly mode: string;
  readonly blob: string;
  readonly isIntended: boolean;
  readonly isAssumed: boolean;
  readonly isSkipped: boolean;
}

export interface SnapshotIndex {
  readonly entries: ReadonlyMap<RawPath, SnapshotIndexEntry>;
  readonly absent: ReadonlySet<RawPath>;
}

const INDEX_NOT_STORED = "What is staged cannot be kept.";
const EMPTY_BLOB_HASHES = new Set([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]);

/**
 * Stores the index as a commit with two parts: a tree of the entries, and the flags that a tree cannot hold. Undefined
 * while a merge is unresolved.
 */
export async function storeSnapshotIndex(
  { git }: GitRepository,
  file: string,
  index: readonly GitIndexEntry[],
  absent: readonly RawPath[],
): Promise<string | undefined> {
  const tree = (
    await git.ask(["write-tree"], { settings: DURABLE_WRITES, variables: { GIT_INDEX_FILE: file } })
  )?.trim();
  if (tree === undefined || index.some(({ stage }) => stage !== "0")) return undefined;
  const isAbsent = new Set(absent);
  const intended = await listIntentToAdd(git, tree, index);
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
  const blob = await writeGitObject(git, ["hash-object", "-w", "--stdin"], input);
  const both = await writeGitObject(git, ["mktree"], `040000 tree ${tree}\tindex\n100644 blob ${blob}\tmarks\n`);
  return writeGitObject(git, ["commit-tree", both, "-F", "-"], "What was staged\n");
}

async function writeGitObject(git: GitCommand, words: readonly string[], input: string | Buffer): Promise<string> {
  return (
    await runGitOrFault(git, INDEX_NOT_STORED, words, { input, settings: DURABLE_WRITES, variables: SNAPSHOT_IDENTITY })
  )
    .toString("utf8")
    .trim();
}

/** Entries from `git add -N` are in the index as empty files, and in no tree. */
async function listIntentToAdd(
  git: GitCommand,
  tree: string,
  index: readonly GitIndexEntry[],
): Promise<ReadonlySet<RawPath>> {
  const empty = index.filter(({ blob }) => EMPTY_BLOB_HASHES.has(blob));
  if (empty.length === 0) return new Set();
  const written = new Set((await listTreeFiles(git, tree)).map(({ path }) => path));
  return new Set(empty.map(({ path }) => path).filter((path) => !written.has(path)));
}

export async function listTreeFiles(
  git: GitCommand,
  tree: string,
): Promise<{ readonly path: RawPath; readonly mode: string; readonly blob: string }[]> {
  const words = ["ls-tree", "-r", "-z", tree];
  const out = await runGitOrFault(git, "A snapshot cannot be read.", words, { largestAnswer: 2 ** 30 });
  return splitRawPaths(out).flatMap((line) => {
    const [, mode, blob, path] = /^(\d{6}) \S+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return mode !== undefined && blob !== undefined && path !== undefined ? [{ path, mode, blob }] : [];
  });
}

const INDEX_TRAILER = /\nTenon-Index: (\S+)\n*$/;

export const appendIndexTrailer = (message: string, index: string | undefined): string =>
  `${message.trim()}\n\nTenon-Index: ${index ?? "none"}\n`;

export async function readSnapshotIndex(git: GitCommand, snapshot: string): Promise<SnapshotIndex | undefined> {
  const message = await runGitOrFault(git, "A snapshot cannot be read.", ["cat-file", "commit", snapshot]);
  const commit = INDEX_TRAILER.exec(message.toString("latin1"))?.[1];
  if (commit === undefined || !isObjectHash(commit)) return undefined;
  const marks = new Map(
    splitRawPaths(await runGitOrFault(git, "A snapshot cannot be read.", ["cat-file", "blob", `${commit}:marks`])).map(
      (line) => {
        const end = line.indexOf(" ");
        return [line.slice(end + 1), line.slice(0, end)];
      },
    ),
  );
  const entries = new Map<RawPath, SnapshotIndexEntry>();
  const add = (path: RawPath, mode: string, blob: string): void => {
    const mark = marks.get(path) ?? "";
    const [isIntended, isAssumed, isSkipped] = [mark.includes("i"), mark.includes("v"), mark.includes("s")];
    entries.set(path, { mode, blob, isIntended, isAssumed, isSkipped });
  };
  for (const { path, mode, blob } of await listTreeFiles(git, `${commit}:index`)) add(path, mode, blob);
  for (const [path, mark] of marks) if (mark.includes("i")) add(path, "100644", "");
  return { entries, absent: new Set([...marks].filter(([, mark]) => mark.includes("a")).map(([path]) => path)) };
}
