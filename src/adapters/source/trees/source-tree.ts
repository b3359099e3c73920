import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { findGitSetting } from "../git-settings.ts";
import type { GitCallOptions } from "../git.ts";
import { copyGitIndex, type GitIndexEntry, readGitIndex } from "../index-entries.ts";
import {
  runGitOrFault,
  encodeRawPath,
  type RawPath,
  splitRawPaths,
  createGitFault,
  type GitRepository,
} from "../repository.ts";
import { recordWorkingTree } from "../view.ts";

const TREE_NOT_HASHED = "The hash of the source files cannot be told.";
const LARGE_TREE_ANSWER = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
/** Tenon's own files: a receipt must not change the tree it describes. */
const OWN_TREE_ENTRIES = new Set(["sdd", ".sdd"]);

/**
 * The tree of the working files as git would commit them, without Tenon's own. Git converts line ends and applies
 * filters, so a checkout on Windows and a clone on Linux of the same commit have the same hash.
 */
export async function writeSourceTree(repository: GitRepository): Promise<string> {
  using copy = copyGitIndex(repository);
  const index = await readGitIndex(repository, copy.file);
  const { tree } = await recordWorkingTree(repository, index, copy.file);
  return writeTreeWithoutOwn(repository, await convertToCommittedTree(repository, tree, index));
}

export async function writeCommitSourceTree(repository: GitRepository, commit: string): Promise<string> {
  return writeTreeWithoutOwn(repository, commit);
}

async function writeTreeWithoutOwn({ git, prefix }: GitRepository, tree: string): Promise<string> {
  const folder = prefix === "" ? `${tree}^{tree}` : `${tree}:${prefix.replace(/\/$/, "")}`;
  const listed = await git.run(["ls-tree", "-z", "--full-tree", folder], LARGE_TREE_ANSWER);
  // The tree exists; exit code 128 means that the folder is not in it.
  if (listed.code !== 0 && (prefix === "" || listed.code !== 128)) throw createGitFault(TREE_NOT_HASHED, listed);
  const entries = splitRawPaths(listed.code === 0 ? listed.out : Buffer.alloc(0));
  const kept = entries.filter((entry) => !OWN_TREE_ENTRIES.has(entry.slice(entry.indexOf("\t") + 1)));
  const input = Buffer.from(kept.map((entry) => `${entry}\0`).join(""), "latin1");
  return (await runGitOrFault(git, TREE_NOT_HASHED, ["mktree", "-z"], { ...LARGE_TREE_ANSWER, input }))
    .toString("utf8")
    .trim();
}

async function convertToCommittedTree(
  repository: GitRepository,
  tree: string,
  index: readonly GitIndexEntry[],
): Promise<string> {
  const { git, prefix } = repository;
  const top = encodeRawPath(prefix);
  const known = new Map(
    index
      .filter(({ stage }) => stage === "0")
      .map(({ mode, blob, path }) => [top + path, { mode, blob, path: top + path }]),
  );
  const listed = splitRawPaths(
    await runGitOrFault(git, TREE_NOT_HASHED, ["ls-tree", "-r", "-z", "--full-tree", tree], LARGE_TREE_ANSWER),
  ).map(parseTreeEntry);
  const isPoor = ["core.fileMode", "core.symlinks"].some((key) => findGitSetting(git.listing, key) === "false");
  const others = listed.filter(({ path, mode, blob }) => {
    const before = known.get(path);
    // Where the file system has no modes or links, git trusts its index.
    return mode !== "160000" && (before?.blob !== blob || (isPoor && before.mode !== mode));
  });
  if (others.length === 0) return tree;
  const isOther = new Set(others.map(({ path }) => path));
  // The index entries stay next to the new ones: git checks them to see whether a file always had Windows line ends.
  const given = listed.flatMap((entry) => (isOther.has(entry.path) ? (known.get(entry.path) ?? []) : entry));
  using desk = createEmptyIndex(repository);
  const asking: GitCallOptions = {
    ...LARGE_TREE_ANSWER,
    variables: { GIT_INDEX_FILE: desk.file },
    settings: [
      ["core.safecrlf", "false"],
      ["core.sparseCheckout", "false"],
    ],
  };
  const info = given.map(({ mode, blob, path }) => `${mode} ${blob}\t${path}\0`).join("");
  await runGitOrFault(git, TREE_NOT_HASHED, ["update-index", "-z", "--index-info"], {
    ...asking,
    input: Buffer.from(info, "latin1"),
  });
  const names = others.map(({ path }) => `${path.slice(top.length)}\0`).join("");
  const words = ["update-index", "-z", "--add", "--remove", "--stdin"];
  await runGitOrFault(git, TREE_NOT_HASHED, words, { ...asking, input: Buffer.from(names, "latin1") });
  return (await runGitOrFault(git, TREE_NOT_HASHED, ["write-tree"], asking)).toString("utf8").trim();
}

function parseTreeEntry(entry: RawPath): { mode: string; blob: string; path: RawPath } {
  const [mode = "", , blob = ""] = entry.slice(0, entry.indexOf("\t")).split(" ");
  return { mode, blob, path: entry.slice(entry.indexOf("\t") + 1) };
}

function createEmptyIndex({ gitFolder }: GitRepository): Disposable & { readonly file: string } {
  const file = join(gitFolder, "tenon", "files", `copy-${randomUUID()}`);
  return { file, [Symbol.dispose]: () => fs.rmSync(file, { force: true }) };
}
