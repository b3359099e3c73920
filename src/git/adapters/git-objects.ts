import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { writeSyncedFile } from "#kernel/adapters/durable-file.ts";
import { toFileFault } from "#kernel/model/system-error.ts";
import type { SnapshotFile } from "../operations/ports/git-files.ts";
import { type GitRepository, type RawPath, runGitOrFault, splitRawPaths } from "./git-repository.ts";

export type TreeListing = ReadonlyMap<RawPath, SnapshotFile>;

/** Above this many new folders, git is asked first which ones it has, instead of writing them all again. */
const MANY_TREES = 200;

export function hashObject({ zeros }: GitRepository, type: string, data: Buffer): string {
  const format = zeros.length === 64 ? "sha256" : "sha1";
  return createHash(format).update(`${type} ${data.length}\0`).update(data).digest("hex");
}

const objectFile = ({ commonFolder }: GitRepository, hash: string): string =>
  join(commonFolder, "objects", hash.slice(0, 2), hash.slice(2));

/** Whether the object is stored on its own. Objects in packs are not found. */
export const isLooseObject = (repository: GitRepository, hash: string): boolean =>
  fs.existsSync(objectFile(repository, hash));

const LARGEST_LOOSE_OBJECT = 8 * 1024 * 1024;

/** Reads an object that is stored on its own: a git process would cost ten times as much. Undefined if git must look. */
export function readLooseObject(
  repository: GitRepository,
  hash: string,
): { readonly type: string; readonly data: Buffer } | undefined {
  try {
    const packed = fs.readFileSync(objectFile(repository, hash));
    const bytes = inflateSync(packed, { maxOutputLength: LARGEST_LOOSE_OBJECT });
    const end = bytes.indexOf(0);
    const [type = "", size] = bytes.toString("latin1", 0, end).split(" ");
    const data = bytes.subarray(end + 1);
    return data.length === Number(size) ? { type, data } : undefined;
  } catch {
    return undefined;
  }
}

/** Stores an object durably without starting git, because one call stores many. Git removes duplicates of packs. */
export function writeObject(repository: GitRepository, type: string, data: Buffer): string {
  const hash = hashObject(repository, type, data);
  const file = objectFile(repository, hash);
  if (fs.existsSync(file)) return hash;
  const objects = join(repository.commonFolder, "objects");
  const folder = join(objects, hash.slice(0, 2));
  // Git removes files of this name that a crash left.
  const temporary = join(folder, `tmp_obj_${randomUUID()}`);
  try {
    // The folder's permissions decide who shares the repository.
    const { mode } = fs.statSync(objects);
    makeFolder(folder, mode & 0o7777);
    const bytes = deflateSync(Buffer.concat([Buffer.from(`${type} ${data.length}\0`), data]));
    writeSyncedFile(temporary, bytes, { create: 0o444, mode: mode & 0o444 });
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw toFileFault(error, file, "write");
  }
  return hash;
}

/** Not by `recursive`, which reports a missing folder where the disk is read-only. */
function makeFolder(folder: string, mode: number): void {
  try {
    fs.mkdirSync(folder);
    fs.chmodSync(folder, mode);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** Stores the folders of a listing whose blobs exist, and returns the hash of the top one. */
export async function writeTree(repository: GitRepository, files: TreeListing): Promise<string> {
  const trees = new Map<string, Buffer>();
  const root = buildTree(repository, [...files], 0, trees);
  const missing = [...trees].filter(([hash]) => !isLooseObject(repository, hash));
  const input = missing.map(([hash]) => `${hash}\n`).join("");
  const words = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
  const answer = missing.length > MANY_TREES ? await repository.git.ask(words, { input }) : undefined;
  const known = new Set(answer?.split("\n"));
  for (const [hash, data] of missing) if (!known.has(`${hash} tree`)) writeObject(repository, "tree", data);
  return root;
}

function buildTree(
  repository: GitRepository,
  files: readonly (readonly [RawPath, SnapshotFile])[],
  start: number,
  trees: Map<string, Buffer>,
): string {
  const groups = Map.groupBy(files, ([path]) => {
    const end = path.indexOf("/", start);
    return end < 0 ? path.slice(start) : path.slice(start, end + 1);
  });
  // Git orders folders as if their names ended in a slash, and so do the keys.
  const entries = [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => {
      const isFolder = name.endsWith("/");
      const hash = isFolder ? buildTree(repository, group, start + name.length, trees) : (group[0]?.[1].blob ?? "");
      const mode = isFolder ? "40000" : (group[0]?.[1].mode ?? "");
      const label = Buffer.from(`${mode} ${isFolder ? name.slice(0, -1) : name}\0`, "latin1");
      return Buffer.concat([label, Buffer.from(hash, "hex")]);
    });
  const data = Buffer.concat(entries);
  const hash = hashObject(repository, "tree", data);
  trees.set(hash, data);
  return hash;
}

/** The files of a commit or tree below the workspace. An object never changes, so each is listed once per process. */
const listings = new Map<string, Promise<TreeListing>>();

export function listTree(repository: GitRepository, tree: string): Promise<TreeListing> {
  const known = listings.get(formatListingKey(repository, tree));
  if (known) return known;
  const listing = readTree(repository, tree);
  rememberTree(repository, tree, listing);
  listing.catch(() => listings.delete(formatListingKey(repository, tree)));
  return listing;
}

const formatListingKey = ({ gitFolder, prefix }: GitRepository, tree: string): string =>
  `${gitFolder}\0${prefix}\0${tree}`;

const MOST_LISTINGS = 16;

/** Keeps a listing that was just written, so that comparing it needs no git. */
export function rememberTree(repository: GitRepository, tree: string, listing: Promise<TreeListing>): void {
  const key = formatListingKey(repository, tree);
  listings.delete(key);
  listings.set(key, listing);
  const [oldest] = listings.keys();
  if (listings.size > MOST_LISTINGS && oldest !== undefined) listings.delete(oldest);
}

async function readTree(repository: GitRepository, tree: string): Promise<TreeListing> {
  const { git, prefix } = repository;
  const entries = readLooseTree(repository, tree) ?? (await askForTree(repository, tree));
  const top = Buffer.from(prefix, "utf8").toString("latin1");
  const below = entries.filter(([path]) => path.startsWith(top));
  // A source tree starts at the workspace, everything else at the top of the repository.
  if (below.length === 0 && (await git.ask(["cat-file", "-t", tree]))?.trim() === "tree") return new Map(entries);
  return new Map(below.map(([path, file]) => [path.slice(top.length), file]));
}

type TreeEntry = readonly [RawPath, SnapshotFile];

async function askForTree({ git }: GitRepository, tree: string): Promise<TreeEntry[]> {
  const options = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
  const words = ["ls-tree", "-r", "-z", "--full-tree", tree];
  const lines = splitRawPaths(await runGitOrFault(git, "A snapshot cannot be read.", words, options));
  return lines.flatMap((line) => {
    const [, mode, blob, path] = /^(\d{6}) \S+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return mode !== undefined && blob !== undefined && path !== undefined ? [[path, { mode, blob }] as const] : [];
  });
}

/** Trees that Tenon wrote are stored on their own. Undefined if one of them, or the commit, is not. */
function readLooseTree(repository: GitRepository, hash: string, folder = ""): TreeEntry[] | undefined {
  const found = readLooseObject(repository, hash);
  if (found?.type === "commit" && folder === "") {
    const tree = /^tree ([0-9a-f]+)\n/.exec(found.data.toString("latin1", 0, 80))?.[1];
    return tree === undefined ? undefined : readLooseTree(repository, tree);
  }
  if (found?.type !== "tree") return undefined;
  const { data } = found;
  const bytes = repository.zeros.length / 2;
  const all: TreeEntry[] = [];
  for (let at = 0; at < data.length;) {
    const end = data.indexOf(0, at);
    const [, mode = "", name = ""] = /^(\d+) (.*)$/s.exec(data.toString("latin1", at, end)) ?? [];
    const blob = data.toString("hex", end + 1, end + 1 + bytes);
    at = end + 1 + bytes;
    const inner = mode === "40000" ? readLooseTree(repository, blob, `${folder}${name}/`) : undefined;
    if (mode === "40000" && !inner) return undefined;
    all.push(...(inner ?? [[`${folder}${name}`, { mode, blob }] as const]));
  }
  return all;
}
