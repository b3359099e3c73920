import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { ComingFile, SnapshotFile } from "../operations/ports/git-files.ts";
import { findGitSetting, type GitCallOptions } from "./git-command.ts";
import { type GitIndexEntry, readGitFiles, readGitIndex } from "./git-index.ts";
import { hashObject, isLooseObject, rememberTree, type TreeListing, writeObject, writeTree } from "./git-objects.ts";
import { encodeRawPath, type GitRepository, openGitSession, type RawPath, runGitOrFault } from "./git-repository.ts";

const FILES_NOT_STORED = "The working files cannot be kept.";
const LONG_CALL = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
/** Bytes. A larger file is stored by git itself, which does not hold it in memory. */
const LARGE_FILE = 32 * 1024 * 1024;
/** Tenon's own files: a receipt must not change the tree it describes. */
const OWN_FOLDER = /^\.?sdd\//;

export const isMachinePath = (path: string): boolean => path === ".sdd" || path.startsWith(".sdd/");
const isTemporaryPath = (path: RawPath): boolean => /(?:^|\/)\.tenon-[^/]*$/.test(path);

export interface WorkingTree {
  readonly index: readonly GitIndexEntry[];
  /** Tracked and untracked files with the bytes on disk, without ignored ones. Their blobs are stored. */
  readonly files: TreeListing;
  /** Tracked files that a sparse checkout leaves out. */
  readonly absent: readonly RawPath[];
}

/** Reads and stores the working files. Only files that changed since the last call of this process are read. */
export async function readWorkingTree(repository: GitRepository): Promise<WorkingTree> {
  const { tracked, untracked } = await readGitFiles(repository);
  const look = createPathProbe(repository.root);
  const index = tracked.filter(({ path }) => !isMachinePath(path));
  const files = new Map<RawPath, SnapshotFile>();
  const absent: RawPath[] = [];
  const reader = createFileReader(repository);
  for (const entry of index) {
    const { path, mode, blob, isSkipped } = entry;
    const kind = look(path);
    if (mode === "160000") {
      if (kind === "folder") files.set(path, { mode, blob: (await readSubmoduleHead(repository, path)) ?? blob });
    } else if (kind === "file") files.set(path, reader.read(path, entry));
    else if (isSkipped && kind === undefined) {
      files.set(path, { mode, blob });
      absent.push(path);
    }
  }
  for (const path of untracked)
    if (!isMachinePath(path) && !isTemporaryPath(path) && !files.has(path) && look(path) === "file")
      files.set(path, reader.read(path, undefined));
  await reader.finish(files);
  return { index: tracked, files, absent };
}

/** Stores the tree of the bytes on disk. Its paths start at the top of the repository. */
export async function writeRawTree(repository: GitRepository, files: TreeListing): Promise<string> {
  const top = encodeRawPath(repository.prefix);
  const tree = await writeTree(repository, new Map([...files].map(([path, file]) => [top + path, file])));
  rememberTree(repository, tree, files);
  return tree;
}

/**
 * Stores the tree of the working files as git would commit them, without Tenon's own. Git converts line ends and
 * applies filters, so a checkout on Windows and a clone on Linux of the same commit have the same hash.
 */
export async function writeSourceTree(repository: GitRepository, working?: WorkingTree): Promise<string> {
  const { index, files } = working ?? (await readWorkingTree(repository));
  const committed = await convertToCommitted(repository, index, withoutOwnFiles(files));
  return writeRememberedTree(repository, committed);
}

/** Stores the tracked files as git would commit them. The paths start at the top of the repository, as in a commit. */
export async function writeTrackedTree(repository: GitRepository, working: WorkingTree): Promise<string> {
  const { index, files, absent } = working;
  const tracked = new Set(index.map(({ path }) => path));
  // Without a sparse checkout, a missing file is deleted, however the index marks it.
  if (findGitSetting(repository.git.listing, "core.sparseCheckout") !== "true")
    for (const path of absent) tracked.delete(path);
  const own = new Map([...files].filter(([path]) => tracked.has(path)));
  const top = encodeRawPath(repository.prefix);
  const committed = await convertToCommitted(repository, index, own);
  return writeTree(repository, new Map([...committed].map(([path, file]) => [top + path, file])));
}

export const withoutOwnFiles = (files: TreeListing): TreeListing =>
  new Map([...files].filter(([path]) => !OWN_FOLDER.test(path)));

export async function writeRememberedTree(repository: GitRepository, files: TreeListing): Promise<string> {
  const tree = await writeTree(repository, files);
  rememberTree(repository, tree, files);
  return tree;
}

/** Adds a file that is about to be written, unless it will be ignored. */
export async function addComingFile(
  repository: GitRepository,
  files: TreeListing,
  { path, text }: ComingFile,
): Promise<TreeListing> {
  if ((await repository.git.run(["check-ignore", "--quiet", "--", path])).code === 0) return files;
  const blob = writeObject(repository, "blob", Buffer.from(text));
  return new Map([...files, [encodeRawPath(path), { mode: "100644", blob }]]);
}

interface KnownFile extends SnapshotFile {
  readonly stamp: string;
}

/** Files that this process has read and stored, by repository and path. */
const knownFiles = new Map<string, Map<RawPath, KnownFile>>();

/** Reading this many files again would be felt, so what is known of them is kept for the next process. */
const MANY_FILES = 500;
const KnownFiles = z.record(z.string(), z.object({ mode: z.string(), blob: z.string(), stamp: z.string() }));

const locateKnownFiles = ({ gitFolder }: GitRepository): string => join(gitFolder, "tenon", "files", "known.json");

function loadKnownFiles(repository: GitRepository): Map<RawPath, KnownFile> {
  const known = knownFiles.get(repository.root) ?? new Map(Object.entries(readKnownFiles(repository)));
  knownFiles.set(repository.root, known);
  return known;
}

function readKnownFiles(repository: GitRepository): Record<string, KnownFile> {
  try {
    return KnownFiles.parse(JSON.parse(fs.readFileSync(locateKnownFiles(repository), "latin1")));
  } catch {
    return {};
  }
}

function storeKnownFiles(repository: GitRepository, known: ReadonlyMap<RawPath, KnownFile>): void {
  const file = locateKnownFiles(repository);
  const temporary = `${file}-${randomUUID()}`;
  fs.writeFileSync(temporary, JSON.stringify(Object.fromEntries(known)), "latin1");
  fs.renameSync(temporary, file);
}

interface FileReader {
  read(path: RawPath, entry: GitIndexEntry | undefined): SnapshotFile;
  /** Lets git store the large files, which `read` left out. */
  finish(files: Map<RawPath, SnapshotFile>): Promise<void>;
}

function createFileReader(repository: GitRepository): FileReader {
  const known = loadKnownFiles(repository);
  let fresh = 0;
  const settings = readFileSystemSettings(repository);
  const begun = readFileSystemTime(repository);
  const large: RawPath[] = [];
  const read: FileReader["read"] = (path, entry) => {
    const place = Buffer.from(`${encodeRawPath(repository.root)}/${path}`, "latin1");
    const stat = fs.lstatSync(place);
    const mode = chooseFileMode(stat, entry?.mode, settings);
    const stamp = `${stat.ino} ${stat.ctimeMs} ${stat.mtimeMs} ${stat.size} ${stat.mode}`;
    const before = known.get(path);
    const isStored = (blob: string): boolean => blob === entry?.blob || isLooseObject(repository, blob);
    if (before?.stamp === stamp && isStored(before.blob)) return { mode, blob: before.blob };
    if (stat.size > LARGE_FILE) {
      large.push(path);
      return { mode, blob: "" };
    }
    const data = stat.isSymbolicLink() ? fs.readlinkSync(place, { encoding: "buffer" }) : fs.readFileSync(place);
    const blob = hashObject(repository, "blob", data);
    if (!isStored(blob)) writeObject(repository, "blob", data);
    // A file that changed as late as this may change again without a new stamp.
    fresh += 1;
    if (stat.ctimeMs < begun) known.set(path, { mode, blob, stamp });
    else known.delete(path);
    return { mode, blob };
  };
  const finish: FileReader["finish"] = async (files) => {
    if (fresh >= MANY_FILES) storeKnownFiles(repository, known);
    if (large.length === 0) return;
    const words = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
    const input = Buffer.from(large.map((path) => `${path}\n`).join(""), "latin1");
    const out = await runGitOrFault(repository.git, FILES_NOT_STORED, words, { ...LONG_CALL, input });
    const hashes = out.toString("utf8").trim().split("\n");
    for (const [i, path] of large.entries())
      files.set(path, { mode: files.get(path)?.mode ?? "100644", blob: hashes[i] ?? "" });
  };
  return { read, finish };
}

interface FileSystemSettings {
  readonly hasModes: boolean;
  readonly hasLinks: boolean;
}

const readFileSystemSettings = ({ git }: GitRepository): FileSystemSettings => ({
  hasModes: findGitSetting(git.listing, "core.fileMode") !== "false",
  hasLinks: findGitSetting(git.listing, "core.symlinks") !== "false",
});

/** Where the file system has no modes or links, git trusts its index. */
function chooseFileMode(stat: fs.Stats, tracked: string | undefined, settings: FileSystemSettings): string {
  if (stat.isSymbolicLink()) return "120000";
  if (tracked === "120000" && !settings.hasLinks) return tracked;
  if (!settings.hasModes) return tracked === "100755" ? tracked : "100644";
  return stat.mode & 0o100 ? "100755" : "100644";
}

/** The clock of the file system, which may be on another machine. On a read-only one, no time counts as past. */
function readFileSystemTime({ gitFolder }: GitRepository): number {
  const folder = join(gitFolder, "tenon", "files");
  const file = join(folder, `time-${randomUUID()}`);
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(file, "");
    return fs.statSync(file).ctimeMs;
  } catch {
    return Number.NEGATIVE_INFINITY;
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/** Tells a file from a folder, without following a link on the way. */
function createPathProbe(root: string): (path: RawPath) => "file" | "folder" | undefined {
  const folders = new Map<RawPath, boolean>([[".", true]]);
  const kindOf = (path: RawPath): "file" | "folder" | undefined => {
    const stat = fs.lstatSync(Buffer.from(`${encodeRawPath(root)}/${path}`, "latin1"), { throwIfNoEntry: false });
    if (stat?.isDirectory()) return "folder";
    return stat?.isFile() || stat?.isSymbolicLink() ? "file" : undefined;
  };
  const isFolder = (path: RawPath): boolean => {
    const known = folders.get(path) ?? (isFolder(dirname(path)) && kindOf(path) === "folder");
    folders.set(path, known);
    return known;
  };
  return (path) => (isFolder(dirname(path)) ? kindOf(path) : undefined);
}

/** The commit that is checked out in a submodule; undefined if none is. */
async function readSubmoduleHead({ root, git }: GitRepository, path: RawPath): Promise<string | undefined> {
  const folder = join(root, Buffer.from(path, "latin1").toString("utf8"));
  if (!fs.existsSync(join(folder, ".git"))) return undefined;
  const inner = await openGitSession(folder, git.environment).git();
  return (await inner.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.trim();
}

/** Files that differ from the index get the blobs that `git add` would store. */
async function convertToCommitted(
  repository: GitRepository,
  index: readonly GitIndexEntry[],
  files: TreeListing,
): Promise<TreeListing> {
  if (!mayConvert(repository, files)) return files;
  const { git, prefix } = repository;
  const top = encodeRawPath(prefix);
  const known = new Map(index.filter(({ stage }) => stage === "0").map((entry) => [entry.path, entry]));
  const changed = [...files].filter(([path, { mode, blob }]) => mode !== "160000" && known.get(path)?.blob !== blob);
  if (changed.length === 0) return files;
  using desk = createEmptyIndex(repository);
  const options: GitCallOptions = {
    ...LONG_CALL,
    variables: { GIT_INDEX_FILE: desk.file },
    settings: [
      ["core.safecrlf", "false"],
      ["core.sparseCheckout", "false"],
    ],
  };
  const feed = async (words: readonly string[], lines: readonly string[]): Promise<void> => {
    const input = Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1");
    await runGitOrFault(git, FILES_NOT_STORED, ["update-index", "-z", ...words], { ...options, input });
  };
  // Git looks into the index to see whether a file always had Windows line ends.
  const given = changed.flatMap(([path]) => known.get(path) ?? []);
  if (given.length > 0)
    await feed(
      ["--index-info"],
      given.map(({ mode, blob, path }) => `${mode} ${blob}\t${top}${path}`),
    );
  await feed(
    ["--add", "--remove", "--stdin"],
    changed.map(([path]) => path),
  );
  const converted = await readGitIndex(repository, options.variables);
  return new Map([...files, ...converted.map(({ path, mode, blob }) => [path, { mode, blob }] as const)]);
}

/** Line ends and filters are the only conversions, and only settings and attributes ask for them. */
function mayConvert({ git, root, top, commonFolder, gitFolder }: GitRepository, files: TreeListing): boolean {
  const setting = (key: string): string | undefined => findGitSetting(git.listing, key);
  if (!/^(?:false|no|off|0)?$/i.test(setting("core.autocrlf") ?? "") || setting("core.attributesFile")) return true;
  const { HOME = "", XDG_CONFIG_HOME = "" } = git.environment;
  const outside = [
    ...[commonFolder, gitFolder].map((folder) => join(folder, "info", "attributes")),
    join(XDG_CONFIG_HOME || join(HOME, ".config"), "git", "attributes"),
    "/etc/gitattributes",
  ];
  for (let at = root; at !== top && at !== dirname(at); at = dirname(at))
    outside.push(join(dirname(at), ".gitattributes"));
  return (
    outside.some((file) => fs.existsSync(file)) ||
    [...files.keys()].some((path) => /(?:^|\/)\.gitattributes$/.test(path))
  );
}

function createEmptyIndex({ gitFolder }: GitRepository): Disposable & { readonly file: string } {
  const file = join(gitFolder, "tenon", "files", `copy-${randomUUID()}`);
  return { file, [Symbol.dispose]: () => fs.rmSync(file, { force: true }) };
}
