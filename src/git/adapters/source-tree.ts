import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join, dirname } from "node:path";
import { findGitSetting, type GitCallOptions } from "./git-command.ts";
import { copyGitIndex, type GitIndexEntry, readGitIndex } from "./git-index.ts";
import {
  runGitOrFault,
  encodeRawPath,
  type RawPath,
  splitRawPaths,
  createGitFault,
  type GitRepository,
} from "./git-repository.ts";
import { recordWorkingTree } from "./working-tree-record.ts";
import { dirname as above } from "node:path/posix";

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

interface KnownTree {
  readonly tree: string;
  readonly stamps: ReadonlyMap<RawPath, string>;
}

const knownTreeByRoot = new Map<string, KnownTree>();

const TREE_NOT_STAMPED = "The hash of the source files cannot be told.";
const LARGE_STAMP_ANSWER = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
const NOT_SOURCE_FOLDERS = new Set([".git", ".sdd", "sdd"]);
const GIT_RULE_FILES = [".gitignore", ".gitattributes"];

/**
 * The last tree, if no stamp changed: of a file, of a folder that could receive a file, or of the ignore rules. A write
 * always changes the change time, which no program can set; git relies on the same.
 */
export function findUnchangedTree(root: string): string | undefined {
  const last = knownTreeByRoot.get(root);
  if (!last) return undefined;
  for (const [place, stamp] of last.stamps) if (formatTreeStamp(statRawPath(place)) !== stamp) return undefined;
  return last.tree;
}

export const isKnownWorkspace = (root: string): boolean => knownTreeByRoot.has(root);

export async function rememberWrittenTree(repository: GitRepository): Promise<string> {
  const { root } = repository;
  const begun = readFileSystemTime(repository);
  const tree = await writeSourceTree(repository);
  const stamps = await collectTreeStamps(repository, tree, begun);
  knownTreeByRoot.set(root, { tree, stamps: stamps ?? NEVER_MATCHING_STAMPS });
  return tree;
}

const NEVER_MATCHING_STAMPS: ReadonlyMap<RawPath, string> = new Map([["", "never"]]);

/** A stamp is valid only if the file last changed before the tree was begun; undefined if one is not. */
async function collectTreeStamps(
  repository: GitRepository,
  tree: string,
  begun: number,
): Promise<Map<RawPath, string> | undefined> {
  const { git, root } = repository;
  const listed = splitRawPaths(
    await runGitOrFault(git, TREE_NOT_STAMPED, ["ls-tree", "-r", "-z", "--full-tree", tree], LARGE_STAMP_ANSWER),
  );
  // Changes inside a submodule are not visible from outside.
  if (listed.some((entry) => entry.startsWith("160000"))) return undefined;
  const files = listed.map((entry) => entry.slice(entry.indexOf("\t") + 1));
  const folders = await listReceivingFolders(repository, files);
  const standing = [...files, ...folders].map((path) => [joinRawPath(root, path), true] as const);
  const besides = listGitRuleFiles(repository).map((place) => [place, false] as const);
  const stamps = new Map<RawPath, string>();
  for (const [place, mustStand] of [...standing, ...besides]) {
    const stat = statRawPath(place);
    if (stat ? stat.ctimeMs >= begun : mustStand) return undefined;
    stamps.set(place, formatTreeStamp(stat));
  }
  return stamps;
}

async function listReceivingFolders({ git, root }: GitRepository, files: readonly RawPath[]): Promise<Set<RawPath>> {
  const folders = new Set<RawPath>(["."]);
  for (const file of files) for (let at = above(file); !folders.has(at); at = above(at)) folders.add(at);
  let looked = [...folders];
  while (looked.length > 0) {
    const others = looked.flatMap((folder) => listSubfolders(root, folder)).filter((folder) => !folders.has(folder));
    const ignored = others.length === 0 ? new Set() : await listIgnoredFolders(git, others);
    looked = others.filter((folder) => !ignored.has(folder));
    for (const folder of looked) folders.add(folder);
  }
  return folders;
}

async function listIgnoredFolders(git: GitRepository["git"], folders: readonly RawPath[]): Promise<Set<RawPath>> {
  const input = Buffer.from(folders.map((folder) => `${folder}/\0`).join(""), "latin1");
  const { out } = await git.run(["check-ignore", "-z", "--stdin"], { ...LARGE_STAMP_ANSWER, input });
  return new Set(splitRawPaths(out).map((path) => path.replace(/\/$/, "")));
}

function listSubfolders(root: string, folder: RawPath): RawPath[] {
  const found = fs.readdirSync(Buffer.from(joinRawPath(root, folder), "latin1"), {
    withFileTypes: true,
    encoding: "latin1",
  });
  return found
    .filter(
      (entry) =>
        entry.isDirectory() && entry.name !== ".git" && !(folder === "." && NOT_SOURCE_FOLDERS.has(entry.name)),
    )
    .map(({ name }) => (folder === "." ? name : `${folder}/${name}`));
}

function listGitRuleFiles({ root, top, gitFolder, commonFolder }: GitRepository): RawPath[] {
  const folders: string[] = [root];
  for (let at = root; at !== top && at !== dirname(at); at = dirname(at)) folders.push(dirname(at));
  return [
    join(gitFolder, "index"),
    join(commonFolder, "config"),
    ...["exclude", "attributes", "sparse-checkout"].map((name) => join(commonFolder, "info", name)),
    ...folders.flatMap((folder) => GIT_RULE_FILES.map((name) => join(folder, name))),
  ].map(encodeRawPath);
}

const joinRawPath = (root: string, path: RawPath): RawPath =>
  path === "." ? encodeRawPath(root) : `${encodeRawPath(root)}/${path}`;

const statRawPath = (place: RawPath): fs.Stats | undefined =>
  fs.lstatSync(Buffer.from(place, "latin1"), { throwIfNoEntry: false });

function formatTreeStamp(stat: fs.Stats | undefined): string {
  if (!stat) return "";
  return stat.isDirectory() ? `${stat.ino} ${stat.ctimeMs}` : `${stat.ino} ${stat.ctimeMs} ${stat.size} ${stat.mode}`;
}

/** The clock of the file system, which may be on another machine. */
function readFileSystemTime({ gitFolder }: GitRepository): number {
  const folder = join(gitFolder, "tenon", "files");
  const file = join(folder, `time-${randomUUID()}`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, "");
  const { ctimeMs } = fs.statSync(file);
  fs.rmSync(file);
  return ctimeMs;
}
