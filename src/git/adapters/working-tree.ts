import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { ComingFile, SnapshotFile } from "../operations/ports/git-files.ts";
import { findGitSetting, type GitCallOptions } from "./git-command.ts";
import { createTemporaryIndex, type GitIndexEntry, readGitFiles, readGitIndex } from "./git-index.ts";
import { hashObject, isLooseObject, rememberTree, type TreeListing, writeObject, writeTree } from "./git-objects.ts";
import { encodeRawPath, type GitRepository, openGitSession, type RawPath, runGitOrFault } from "./git-repository.ts";

const FILES_NOT_STORED = "The working files cannot be saved.";
const LONG_CALL = { largestAnswer: 2 ** 30, longestWaitMs: 600_000 };
/** Bytes. A larger file is stored by git itself, which does not hold it in memory. */
const LARGE_FILE = 32 * 1024 * 1024;
/** Tenon's own files: a receipt must not change the tree it describes. */
export const OWN_FOLDER = /^\.?sdd\//;

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
      if (kind !== "folder") continue;
      const folder = join(repository.root, Buffer.from(path, "latin1").toString("utf8"));
      const inner = fs.existsSync(join(folder, ".git"))
        ? await openGitSession(folder, repository.git.environment).git()
        : undefined;
      const head = await inner?.ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
      files.set(path, { mode, blob: head?.trim() ?? blob });
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
  rememberTree(repository, tree, Promise.resolve(files));
  return tree;
}

/** As git would commit them, without Tenon's own: with line ends and filters, a clone on any system has this hash. */
export async function writeSourceTree(repository: GitRepository, working?: WorkingTree): Promise<string> {
  const { index, files } = working ?? (await readWorkingTree(repository));
  return writeRememberedTree(repository, await convertToCommitted(repository, index, withoutOwnFiles(files)));
}

/** Stores the files as git would commit them. The paths start at the top of the repository, as in a commit. */
export async function writeComparedTree(repository: GitRepository, working: WorkingTree): Promise<string> {
  const { index, files, absent } = working;
  const own = new Map(files);
  // Without a sparse checkout, a missing file is deleted, however the index marks it.
  if (findGitSetting(repository.git.listing, "core.sparseCheckout") !== "true")
    for (const path of absent) own.delete(path);
  const top = encodeRawPath(repository.prefix);
  const committed = await convertToCommitted(repository, index, own);
  return writeTree(repository, new Map([...committed].map(([path, file]) => [top + path, file])));
}

export const withoutOwnFiles = (files: TreeListing): TreeListing =>
  new Map([...files].filter(([path]) => !OWN_FOLDER.test(path)));

export async function writeRememberedTree(repository: GitRepository, files: TreeListing): Promise<string> {
  const tree = await writeTree(repository, files);
  rememberTree(repository, tree, Promise.resolve(files));
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

const KnownFiles = z.record(z.string(), z.object({ mode: z.string(), blob: z.string(), stamp: z.string() }));
type KnownFile = z.infer<typeof KnownFiles>[string];

/** Files that this process has read and stored, by repository and path. */
const knownFiles = new Map<string, Map<RawPath, KnownFile>>();

/** Reading this many files again would be felt, so what is known of them is kept for the next process. */
const MANY_FILES = 500;

const locateKnownFiles = ({ gitFolder }: GitRepository): string => join(gitFolder, "tenon", "files", "known.json");

function loadKnownFiles(repository: GitRepository): Map<RawPath, KnownFile> {
  const known = knownFiles.get(repository.root);
  if (known) return known;
  const loaded = new Map<RawPath, KnownFile>();
  knownFiles.set(repository.root, loaded);
  try {
    const stored = KnownFiles.parse(JSON.parse(fs.readFileSync(locateKnownFiles(repository), "latin1")));
    for (const [path, file] of Object.entries(stored)) loaded.set(path, file);
  } catch {
    // There is none, or it is damaged: all files are read again.
  }
  return loaded;
}

/** `finish` lets git store the large files, which `read` left out. */
function createFileReader(repository: GitRepository) {
  const { git } = repository;
  const known = loadKnownFiles(repository);
  let fresh = 0;
  // Where the file system has no modes or links, git trusts its index.
  const hasModes = findGitSetting(git.listing, "core.fileMode") !== "false";
  const hasLinks = findGitSetting(git.listing, "core.symlinks") !== "false";
  const begun = readFileSystemTime(repository);
  const large: RawPath[] = [];
  const chooseMode = (stat: fs.Stats, tracked: string | undefined): string => {
    if (stat.isSymbolicLink()) return "120000";
    if (tracked === "120000" && !hasLinks) return tracked;
    const isExecutable = hasModes ? stat.mode & 0o100 : tracked === "100755";
    return isExecutable ? "100755" : "100644";
  };
  const read = (path: RawPath, entry: GitIndexEntry | undefined): SnapshotFile => {
    const place = Buffer.from(`${encodeRawPath(repository.root)}/${path}`, "latin1");
    const stat = fs.lstatSync(place);
    const mode = chooseMode(stat, entry?.mode);
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
  const finish = async (files: Map<RawPath, SnapshotFile>): Promise<void> => {
    if (fresh >= MANY_FILES) {
      const temporary = `${locateKnownFiles(repository)}-${randomUUID()}`;
      fs.writeFileSync(temporary, JSON.stringify(Object.fromEntries(known)), "latin1");
      fs.renameSync(temporary, locateKnownFiles(repository));
    }
    if (large.length === 0) return;
    const words = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
    const input = Buffer.from(large.map((path) => `${path}\n`).join(""), "latin1");
    const out = await runGitOrFault(git, FILES_NOT_STORED, words, { ...LONG_CALL, input });
    const hashes = out.toString("utf8").trim().split("\n");
    for (const [i, path] of large.entries())
      files.set(path, { mode: files.get(path)?.mode ?? "100644", blob: hashes[i] ?? "" });
  };
  return { read, finish };
}

/** The clock of the file system, which may be on another machine. On a read-only one, no time counts as past. */
function readFileSystemTime({ gitFolder }: GitRepository): number {
  const folder = join(gitFolder, "tenon", "files");
  const file = join(folder, `time-${randomUUID()}`);
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(file, "");
    const { ctimeMs } = fs.statSync(file);
    fs.rmSync(file);
    return ctimeMs;
  } catch {
    // A file that cannot be removed stays. It is empty and of no further use.
    return Number.NEGATIVE_INFINITY;
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

/** Files that differ from the index get the blobs that `git add` would store. */
export async function convertToCommitted(
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
  using desk = createTemporaryIndex(repository);
  const options: GitCallOptions = {
    ...LONG_CALL,
    variables: { GIT_INDEX_FILE: desk.file },
    settings: ["core.safecrlf", "core.sparseCheckout"].map((key) => [key, "false"] as const),
  };
  const feed = async (words: readonly string[], lines: readonly string[]): Promise<void> => {
    const input = Buffer.from(lines.map((line) => `${line}\0`).join(""), "latin1");
    await runGitOrFault(git, FILES_NOT_STORED, ["update-index", "-z", ...words], { ...options, input });
  };
  // Git looks into the index to see whether a file always had Windows line ends.
  const given = changed.flatMap(([path]) => known.get(path) ?? []);
  const entries = given.map(({ mode, blob, path }) => `${mode} ${blob}\t${top}${path}`);
  if (given.length > 0) await feed(["--index-info"], entries);
  const paths = changed.map(([path]) => path);
  await feed(["--add", "--remove", "--stdin"], paths);
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
  const hasOwn = [...files.keys()].some((path) => /(?:^|\/)\.gitattributes$/.test(path));
  return hasOwn || outside.some((file) => fs.existsSync(file));
}
