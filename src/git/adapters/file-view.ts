import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import type { SourceView, SourceContent, SourceFile, StampedContent } from "../operations/ports/git-files.ts";
import type { GitCommand } from "./git-command.ts";
import { readGitFiles } from "./git-index.ts";
import { listTree } from "./git-objects.ts";
import { decodeRawPath, type GitRepository, type GitSession } from "./git-repository.ts";

const LARGEST_VIEW_TEXT = 1024 * 1024;
const LARGEST_VIEW_TOTAL = 32 * 1024 * 1024;
/** Project profiles count even when git ignores them. */
const PROFILE_FOLDER = "sdd/stacks";

export async function openWorkingView(session: GitSession): Promise<SourceView> {
  const { root } = session;
  const repository = await session.repository();
  const paths = repository ? await listViewPaths(repository) : walkFolderFiles(root, true);
  return {
    paths: [...new Set([...paths, ...listProfileFiles(root)])].toSorted(),
    ignored: repository ? await listIgnoredFiles(repository) : [],
    async read(wanted, most = LARGEST_VIEW_TEXT) {
      let room = LARGEST_VIEW_TOTAL;
      return new Map(
        wanted.map((path) => {
          const found = isOutsideView(path) ? MISSING_FILE : readFileState(root, path, Math.min(most, room));
          if (found.kind === "text") room -= found.text.length;
          return [path, found];
        }),
      );
    },
  };
}

async function listViewPaths(repository: GitRepository): Promise<string[]> {
  const { tracked, untracked } = await readGitFiles(repository);
  return [...tracked.map(({ path }) => path), ...untracked].flatMap((path) => decodeRawPath(path) ?? []);
}

const TEMPORARY_BUNDLE_FILE = /\.timestamp-\d/;
const SETTINGS_FOLDER = /(?:^|\/)\.cargo\/$/;

/** Folders that are ignored completely are listed as one entry; they hold build output or dependencies. */
async function listIgnoredFiles({ root, git }: GitRepository): Promise<string[]> {
  const words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", "."];
  const listed = (await git.ask(words))?.split("\0").filter((path) => path !== "") ?? [];
  const inside = listed
    .filter((path) => SETTINGS_FOLDER.test(path))
    .flatMap((folder) => listFolderNames(join(root, folder)).map((name) => folder + name));
  return [...listed.filter((path) => !path.endsWith("/") && !TEMPORARY_BUNDLE_FILE.test(path)), ...inside].toSorted();
}

const MISSING_FILE: SourceContent = { kind: "missing" };

const isOutsideView = (path: string): boolean => isAbsolute(path) || path.split(/[/\\]/).includes("..");

const listProfileFiles = (root: string): string[] =>
  listFolderNames(join(root, PROFILE_FOLDER)).map((name) => `${PROFILE_FOLDER}/${name}`);

function listFolderNames(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function readFileState(root: string, path: string, most: number): SourceContent {
  try {
    if (hasLinkOnPath(root, path)) return { kind: "link" };
    const stat = fs.lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return MISSING_FILE;
    return stat.size > most ? { kind: "large" } : decodeFileText(fs.readFileSync(join(root, path)));
  } catch {
    return MISSING_FILE;
  }
}

function hasLinkOnPath(root: string, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, i) =>
    fs.lstatSync(join(root, ...parts.slice(0, i + 1)), { throwIfNoEntry: false })?.isSymbolicLink(),
  );
}

function decodeFileText(bytes: Buffer): SourceContent {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary" };
  }
}

export async function openCommitView(session: GitSession, commit: string): Promise<SourceView | undefined> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  const repository = await session.repository();
  const listed = repository && (await listTree(repository, commit).catch(() => undefined));
  if (!repository || !listed) return undefined;
  const { git } = repository;
  const entries = new Map(
    [...listed].flatMap(([raw, { mode, blob }]) => {
      const path = decodeRawPath(raw);
      return path === undefined ? [] : [[path, { mode, object: blob }] as const];
    }),
  );
  const files = [...entries].filter(([, { mode }]) => mode !== SUBMODULE_MODE);
  return {
    paths: files.map(([path]) => path).toSorted(),
    ignored: [],
    read: (wanted, most = LARGEST_VIEW_TEXT) => readCommitFiles(git, entries, wanted, most),
  };
}

interface CommitTreeEntry {
  readonly mode: string;
  readonly object: string;
}

const LINK_MODE = "120000";
const SUBMODULE_MODE = "160000";

async function readCommitFiles(
  git: GitCommand,
  entries: ReadonlyMap<string, CommitTreeEntry>,
  wanted: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, SourceContent>> {
  const files = wanted.flatMap((path) => {
    const entry = entries.get(path);
    return entry && entry.mode.startsWith("100") ? [{ path, object: entry.object }] : [];
  });
  const texts = await readBlobTexts(git, [...new Set(files.map(({ object }) => object))], most);
  return new Map(
    wanted.map((path) => {
      const entry = entries.get(path);
      if (entry?.mode === LINK_MODE) return [path, { kind: "link" }];
      return [path, (entry && texts.get(entry.object)) ?? MISSING_FILE];
    }),
  );
}

/** Reads the sizes first, to skip large blobs. */
export async function readBlobTexts(
  git: GitCommand,
  objects: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, SourceContent>> {
  const found = new Map<string, SourceContent>();
  if (objects.length === 0) return found;
  const sizes = await git.ask(["cat-file", "--batch-check=%(objectname) %(objectsize)"], {
    input: joinObjectLines(objects),
  });
  const small: { readonly object: string; readonly size: number }[] = [];
  let room = LARGEST_VIEW_TOTAL;
  for (const line of sizes?.split("\n") ?? []) {
    const [object = "", size = ""] = line.split(" ");
    if (!/^\d+$/.test(size)) continue;
    if (Number(size) > Math.min(most, room)) {
      found.set(object, { kind: "large" });
      continue;
    }
    room -= Number(size);
    small.push({ object, size: Number(size) });
  }
  if (small.length === 0) return found;
  const input = joinObjectLines(small.map(({ object }) => object));
  const total = small.reduce((sum, { size }) => sum + size + 200, 1024);
  const { code, out } = await git.run(["cat-file", "--batch"], { input, largestAnswer: total });
  if (code !== 0) return found;
  let place = 0;
  for (const { object, size } of small) {
    const start = out.indexOf("\n", place) + 1;
    found.set(object, decodeFileText(out.subarray(start, start + size)));
    place = start + size + 1;
  }
  return found;
}

const joinObjectLines = (words: readonly string[]): string => `${words.join("\n")}\n`;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const READ_STAMPED_FILE = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
/**
 * Nanoseconds. Some file systems record times in steps of two seconds: a file that changed more recently may change
 * again and keep its stamp.
 */
const CLOCK_STEP_NS = 2_000_000_000n;
const READ_ATTEMPTS = 3;

const formatFileStamp = ({ size, mtimeNs, ctimeNs, ino }: fs.BigIntStats): string =>
  `${size}-${mtimeNs}-${ctimeNs}-${ino}`;

/** Duplicates of a merge, uncommitted deletions, links and submodules are not files. */
export function describeSourceFile(root: string, path: string): SourceFile[] {
  const stat = fs.lstatSync(join(root, path), { throwIfNoEntry: false, bigint: true });
  return stat?.isFile() ? [{ path, bytes: Number(stat.size), stamp: formatFileStamp(stat) }] : [];
}

export function readStampedFile(file: string, most: number): StampedContent {
  let fd: number;
  try {
    fd = fs.openSync(file, READ_STAMPED_FILE);
  } catch (error) {
    const isLink = error instanceof Error && "code" in error && error.code === "ELOOP";
    return { kind: isLink ? "link" : "missing", stamp: "" };
  }
  try {
    return readOpenStampedFile(fd, most);
  } catch {
    return { kind: "missing", stamp: "" };
  } finally {
    fs.closeSync(fd);
  }
}

function readOpenStampedFile(fd: number, most: number): StampedContent {
  let standing: SourceContent = { kind: "missing" };
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    const before = fs.fstatSync(fd, { bigint: true });
    if (!before.isFile()) return { kind: "link", stamp: "" };
    standing = before.size > most ? { kind: "large" } : decodeStampedText(readFileBytes(fd, Number(before.size)));
    const after = fs.fstatSync(fd, { bigint: true });
    if (formatFileStamp(after) !== formatFileStamp(before)) continue;
    return { ...standing, stamp: isRecentChange(after) ? "" : formatFileStamp(after) };
  }
  return { ...standing, stamp: "" };
}

/** Every write sets the change time, and no program can set it back. */
const isRecentChange = ({ ctimeNs }: fs.BigIntStats): boolean =>
  BigInt(Date.now()) * 1_000_000n - ctimeNs < CLOCK_STEP_NS;

function readFileBytes(fd: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const more = fs.readSync(fd, bytes, read, length - read, read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}

function decodeStampedText(bytes: Buffer): SourceContent {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary" };
  }
}

const USUALLY_IGNORED = new Set([
  ".git",
  ".sdd",
  "sdd",
  "node_modules",
  "dist",
  "build",
  "target",
  "vendor",
  "coverage",
  "__pycache__",
  ".venv",
  "venv",
  ".gradle",
  ".idea",
  ".next",
]);
const MOST_WALKED_FILES = 100_000;

export function walkFolderFiles(root: string, withLinks = false): string[] {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined && found.length < MOST_WALKED_FILES; folder = folders.pop()) {
    for (const entry of listFolderEntries(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() || (withLinks && entry.isSymbolicLink())) found.push(path);
      else if (entry.isDirectory() && !USUALLY_IGNORED.has(entry.name)) folders.push(path);
    }
  }
  return found;
}

function listFolderEntries(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
