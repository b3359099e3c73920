import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { settingIn } from "../git-settings.ts";
import type { Asking } from "../git.ts";
import { copyOfIndex, type IndexEntry, readIndex } from "../index-entries.ts";
import { insist, rawName, type RawName, rawParts, refused, type Repository } from "../repository.ts";
import { recordFiles } from "../view.ts";

const WHAT = "The hash of the source files cannot be told.";
const LARGE = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
/** Tenon's own files: a receipt must not change the tree it describes. */
const OWN = new Set(["sdd", ".sdd"]);

/**
 * The tree of the working files as git would commit them, without Tenon's own. Git converts line ends and applies
 * filters, so a checkout on Windows and a clone on Linux of the same commit have the same hash.
 */
export async function sourceTree(repository: Repository): Promise<string> {
  using copy = copyOfIndex(repository);
  const index = await readIndex(repository, copy.file);
  const { tree } = await recordFiles(repository, index, copy.file);
  return withoutOwn(repository, await asCommitted(repository, tree, index));
}

export async function sourceTreeOf(repository: Repository, commit: string): Promise<string> {
  return withoutOwn(repository, commit);
}

async function withoutOwn({ git, prefix }: Repository, tree: string): Promise<string> {
  const folder = prefix === "" ? `${tree}^{tree}` : `${tree}:${prefix.replace(/\/$/, "")}`;
  const listed = await git.run(["ls-tree", "-z", "--full-tree", folder], LARGE);
  // The tree exists; exit code 128 means that the folder is not in it.
  if (listed.code !== 0 && (prefix === "" || listed.code !== 128)) throw refused(WHAT, listed);
  const entries = rawParts(listed.code === 0 ? listed.out : Buffer.alloc(0));
  const kept = entries.filter((entry) => !OWN.has(entry.slice(entry.indexOf("\t") + 1)));
  const input = Buffer.from(kept.map((entry) => `${entry}\0`).join(""), "latin1");
  return (await insist(git, WHAT, ["mktree", "-z"], { ...LARGE, input })).toString("utf8").trim();
}

async function asCommitted(repository: Repository, tree: string, index: readonly IndexEntry[]): Promise<string> {
  const { git, prefix } = repository;
  const top = rawName(prefix);
  const known = new Map(
    index
      .filter(({ stage }) => stage === "0")
      .map(({ mode, blob, path }) => [top + path, { mode, blob, path: top + path }]),
  );
  const listed = rawParts(await insist(git, WHAT, ["ls-tree", "-r", "-z", "--full-tree", tree], LARGE)).map(readEntry);
  const isPoor = ["core.fileMode", "core.symlinks"].some((key) => settingIn(git.listing, key) === "false");
  const others = listed.filter(({ path, mode, blob }) => {
    const before = known.get(path);
    // Where the file system has no modes or links, git trusts its index.
    return mode !== "160000" && (before?.blob !== blob || (isPoor && before.mode !== mode));
  });
  if (others.length === 0) return tree;
  const isOther = new Set(others.map(({ path }) => path));
  // The index entries stay next to the new ones: git checks them to see whether a file always had Windows line ends.
  const given = listed.flatMap((entry) => (isOther.has(entry.path) ? (known.get(entry.path) ?? []) : entry));
  using desk = emptyIndex(repository);
  const asking: Asking = {
    ...LARGE,
    variables: { GIT_INDEX_FILE: desk.file },
    settings: [
      ["core.safecrlf", "false"],
      ["core.sparseCheckout", "false"],
    ],
  };
  const info = given.map(({ mode, blob, path }) => `${mode} ${blob}\t${path}\0`).join("");
  await insist(git, WHAT, ["update-index", "-z", "--index-info"], { ...asking, input: Buffer.from(info, "latin1") });
  const names = others.map(({ path }) => `${path.slice(top.length)}\0`).join("");
  const words = ["update-index", "-z", "--add", "--remove", "--stdin"];
  await insist(git, WHAT, words, { ...asking, input: Buffer.from(names, "latin1") });
  return (await insist(git, WHAT, ["write-tree"], asking)).toString("utf8").trim();
}

function readEntry(entry: RawName): { mode: string; blob: string; path: RawName } {
  const [mode = "", , blob = ""] = entry.slice(0, entry.indexOf("\t")).split(" ");
  return { mode, blob, path: entry.slice(entry.indexOf("\t") + 1) };
}

function emptyIndex({ gitFolder }: Repository): Disposable & { readonly file: string } {
  const file = join(gitFolder, "tenon", "files", `copy-${randomUUID()}`);
  return { file, [Symbol.dispose]: () => fs.rmSync(file, { force: true }) };
}
