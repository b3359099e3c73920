import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { dirname as above } from "node:path/posix";
import { findGitSetting, type GitCallOptions } from "./git-command.ts";
import { listTree, writeObject, writeTree } from "./git-objects.ts";
import type { GitRepository, RawPath } from "./git-repository.ts";
import { encodeRawPath, isObjectHash, runGitOrFault, splitRawPaths } from "./git-repository.ts";

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

export interface GitFiles {
  readonly tracked: readonly GitIndexEntry[];
  /** Not ignored; a nested repository is left out. */
  readonly untracked: readonly RawPath[];
}

/** Coarser than the clock of any file system here. Anything that changed later is compared by content. */
const CLOCK_MARGIN_MS = 100;

/** The last list of each repository object, which lives as long as one call. */
const listedFiles = new WeakMap<GitRepository, { files: GitFiles; begun: number; stamps: Map<RawPath, string> }>();

/** Used again in a call while folders, index and rules are unchanged. A file put into an empty folder is missed. */
export async function readGitFiles(repository: GitRepository): Promise<GitFiles> {
  const last = listedFiles.get(repository);
  if (last && [...last.stamps].every(([place, stamp]) => stampListedPath(place, last.begun) === stamp))
    return last.files;
  const begun = Date.now() - CLOCK_MARGIN_MS;
  const lines = await listIndexLines(repository, ["-c", "-o", "--exclude-standard", "--", "."]);
  const untracked = lines.filter((line) => line.startsWith("? ") && !line.endsWith("/")).map((line) => line.slice(2));
  const files: GitFiles = { tracked: lines.flatMap(parseIndexEntry), untracked };
  const places = listStampedPaths(repository, files);
  const stamps = new Map(places.map((place) => [place, stampListedPath(place, begun)]));
  listedFiles.set(repository, { files, begun, stamps });
  return files;
}

function listStampedPaths(repository: GitRepository, { tracked, untracked }: GitFiles): RawPath[] {
  const { root, top, gitFolder, commonFolder, git } = repository;
  const paths = [...tracked.map(({ path }) => path), ...untracked];
  const folders = new Set<RawPath>(["."]);
  for (const path of paths) for (let at = above(path); !folders.has(at); at = above(at)) folders.add(at);
  const inside = [...folders, ...paths.filter((path) => /(?:^|\/)\.gitignore$/.test(path))];
  const { HOME = "", XDG_CONFIG_HOME = "" } = git.environment;
  const outside = [
    join(gitFolder, "index"),
    ...["exclude", "sparse-checkout"].map((name) => join(commonFolder, "info", name)),
    findGitSetting(git.listing, "core.excludesFile") ?? join(XDG_CONFIG_HOME || join(HOME, ".config"), "git", "ignore"),
  ];
  for (let at = root; at !== top && at !== dirname(at); at = dirname(at)) outside.push(join(dirname(at), ".gitignore"));
  return [...inside.map((path) => `${encodeRawPath(root)}/${path}`), ...outside.map(encodeRawPath)];
}

/**
 * The content counts where the time cannot tell a change: it is as late as the list itself. Empty also where a file
 * replaced one of the folders on the way.
 */
function stampListedPath(path: RawPath, begun: number): string {
  const place = Buffer.from(path, "latin1");
  let stat: fs.Stats | undefined;
  try {
    stat = fs.lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return "";
  }
  if (!stat) return "";
  const stamp = `${stat.ino} ${stat.ctimeMs} ${stat.size} ${stat.mode}`;
  if (stat.ctimeMs < begun) return stamp;
  return `${stamp} ${hashListedContent(place, stat)}`;
}

/** Content that cannot be read is never the same twice, so git lists the files again. */
function hashListedContent(place: Buffer, stat: fs.Stats): string {
  try {
    const content = stat.isDirectory() ? fs.readdirSync(place).toSorted().join("/") : fs.readFileSync(place);
    return createHash("sha256").update(content).digest("hex");
  } catch {
    return randomUUID();
  }
}

async function listIndexLines(
  { git }: GitRepository,
  words: readonly string[],
  variables: GitCallOptions["variables"] = {},
): Promise<RawPath[]> {
  const options = { longestWaitMs: 600_000, largestAnswer: 2 ** 30, variables };
  const all = ["ls-files", "-z", "-s", "-v", ...words];
  return splitRawPaths(await runGitOrFault(git, "The index cannot be read.", all, options));
}

export const readGitIndex = async (
  repository: GitRepository,
  variables?: GitCallOptions["variables"],
): Promise<GitIndexEntry[]> => (await listIndexLines(repository, [], variables)).flatMap(parseIndexEntry);

function parseIndexEntry(line: RawPath): GitIndexEntry[] {
  const [, tag, mode, blob, stage, path] = INDEX_ENTRY_LINE.exec(line) ?? [];
  if (!tag || !mode || !blob || !stage || !path) return [];
  return [{ path, mode, blob, stage, isAssumed: tag !== tag.toUpperCase(), isSkipped: /s/i.test(tag) }];
}

export interface SnapshotIndexEntry extends Omit<GitIndexEntry, "path" | "stage"> {
  readonly isIntended: boolean;
}

export interface SnapshotIndex {
  readonly entries: ReadonlyMap<RawPath, SnapshotIndexEntry>;
  readonly absent: ReadonlySet<RawPath>;
}

const EMPTY_BLOB_HASHES = new Set([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]);

/** A commit with a tree of the entries and the flags that a tree cannot hold. Undefined during a merge. */
export async function storeSnapshotIndex(
  repository: GitRepository,
  index: readonly GitIndexEntry[],
  absent: readonly RawPath[],
): Promise<string | undefined> {
  if (index.some(({ stage }) => stage !== "0")) return undefined;
  const intended = await listIntentToAdd(repository, index);
  const top = encodeRawPath(repository.prefix);
  const staged = index.filter(({ path }) => !intended.has(path));
  const tree = await writeTree(repository, new Map(staged.map(({ path, mode, blob }) => [top + path, { mode, blob }])));
  const isAbsent = new Set(absent);
  const marks = index.flatMap(({ path, isAssumed, isSkipped }) => {
    const flags = { i: intended.has(path), v: isAssumed, s: isSkipped, a: isAbsent.has(path) };
    const letters = Object.entries(flags).flatMap(([letter, isSet]) => (isSet ? letter : []));
    return letters.length === 0 ? [] : [`${letters.join("")} ${path}\0`];
  });
  const blob = writeObject(repository, "blob", Buffer.from(marks.join(""), "latin1"));
  const parts = { "40000 index\0": tree, "100644 marks\0": blob };
  const both = Buffer.concat(
    Object.entries(parts).flatMap(([label, hash]) => [Buffer.from(label), Buffer.from(hash, "hex")]),
  );
  return writeCommit(repository, writeObject(repository, "tree", both), [], "What was staged\n");
}

export function writeCommit(
  repository: GitRepository,
  tree: string,
  parents: readonly string[],
  message: string,
): string {
  const signature = `Tenon <tenon@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
  const ancestry = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)];
  const lines = [...ancestry, `author ${signature}`, `committer ${signature}`];
  return writeObject(repository, "commit", Buffer.from(`${lines.join("\n")}\n\n${message}`));
}

/** Entries from `git add -N` are in the index as empty files, and in no tree that git writes. */
async function listIntentToAdd(
  repository: GitRepository,
  index: readonly GitIndexEntry[],
): Promise<ReadonlySet<RawPath>> {
  const empty = index.filter(({ blob }) => EMPTY_BLOB_HASHES.has(blob));
  if (empty.length === 0) return new Set();
  // A copy, which git may refresh.
  using copy = createTemporaryIndex(repository);
  fs.copyFileSync(join(repository.gitFolder, "index"), copy.file);
  const words = ["diff-files", "-z", "--name-only", "--diff-filter=A", "--ita-invisible-in-index", "--relative"];
  const options = { variables: { GIT_INDEX_FILE: copy.file } };
  return new Set(
    splitRawPaths(await runGitOrFault(repository.git, "The staged changes cannot be saved.", words, options)),
  );
}

/** The place of an index that is removed on dispose. */
export function createTemporaryIndex({ gitFolder }: GitRepository): Disposable & { readonly file: string } {
  const folder = join(gitFolder, "tenon", "files");
  fs.mkdirSync(folder, { recursive: true });
  const file = join(folder, `copy-${randomUUID()}`);
  return { file, [Symbol.dispose]: () => fs.rmSync(file, { force: true }) };
}

const INDEX_TRAILER = /\nTenon-Index: (\S+)\n*$/;

export async function readSnapshotIndex(
  repository: GitRepository,
  snapshot: string,
): Promise<SnapshotIndex | undefined> {
  const readObject = (type: string, name: string): Promise<Buffer> =>
    runGitOrFault(repository.git, "A snapshot cannot be read.", ["cat-file", type, name]);
  // A bare tree has no commit that could name an index.
  const message = (await repository.git.ask(["cat-file", "commit", snapshot])) ?? "";
  const commit = INDEX_TRAILER.exec(message)?.[1];
  if (commit === undefined || !isObjectHash(commit)) return undefined;
  const lines = splitRawPaths(await readObject("blob", `${commit}:marks`));
  const marks = new Map(
    lines.map((line) => {
      const end = line.indexOf(" ");
      return [line.slice(end + 1), line.slice(0, end)];
    }),
  );
  const entries = new Map<RawPath, SnapshotIndexEntry>();
  const add = (path: RawPath, mode: string, blob: string): void => {
    const mark = marks.get(path) ?? "";
    const [isIntended, isAssumed, isSkipped] = [mark.includes("i"), mark.includes("v"), mark.includes("s")];
    entries.set(path, { mode, blob, isIntended, isAssumed, isSkipped });
  };
  for (const [path, { mode, blob }] of await listTree(repository, `${commit}:index`)) add(path, mode, blob);
  for (const [path, mark] of marks) if (mark.includes("i")) add(path, "100644", "");
  return { entries, absent: new Set([...marks].filter(([, mark]) => mark.includes("a")).map(([path]) => path)) };
}
