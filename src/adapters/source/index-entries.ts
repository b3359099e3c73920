import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { findGitSetting } from "./git-settings.ts";
import { runGitOrFault, encodeRawPath, splitRawPaths, type RawPath, type GitRepository } from "./repository.ts";

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
