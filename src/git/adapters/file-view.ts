import { createHash } from "node:crypto";
import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import type { SourceView, SourceContent, SourceFile, StampedContent } from "../operations/ports/git-files.ts";
import type { GitCommand } from "./git-command.ts";
import { readGitFiles } from "./git-index.ts";
import { listTree, readLooseObject } from "./git-objects.ts";
import { decodeRawPath, type GitRepository, type GitSession } from "./git-repository.ts";

const LARGEST_VIEW_TEXT = 1024 * 1024;
const LARGEST_VIEW_TOTAL = 32 * 1024 * 1024;
/** Project profiles count even when git ignores them. */
const PROFILE_FOLDER = "sdd/stacks";
const MISSING_FILE: SourceContent = { kind: "missing" };

export const isOutsideWorkspace = (path: string): boolean => isAbsolute(path) || path.split(/[/\\]/).includes("..");

/** The tracked and untracked files with a name in UTF-8. */
export async function listGitPaths(repository: GitRepository): Promise<string[]> {
  const { tracked, untracked } = await readGitFiles(repository);
  return [...tracked.map(({ path }) => path), ...untracked].flatMap((path) => decodeRawPath(path) ?? []);
}

export async function openWorkingView(session: GitSession): Promise<SourceView> {
  const { root } = session;
  const repository = await session.repository();
  const paths = repository ? await listGitPaths(repository) : walkFolderFiles(root, true);
  const profiles = listFolderEntries(join(root, PROFILE_FOLDER)).map(({ name }) => `${PROFILE_FOLDER}/${name}`);
  return {
    paths: [...new Set([...paths, ...profiles])].toSorted(),
    ignored: repository ? await listIgnoredFiles(repository) : [],
    async read(wanted, most = LARGEST_VIEW_TEXT) {
      let room = LARGEST_VIEW_TOTAL;
      return new Map(
        wanted.map((path) => {
          const found = isOutsideWorkspace(path) ? MISSING_FILE : readFileState(root, path, Math.min(most, room));
          if (found.kind === "text") room -= found.text.length;
          return [path, found];
        }),
      );
    },
  };
}

const TEMPORARY_BUNDLE_FILE = /\.timestamp-\d/;
const SETTINGS_FOLDER = /(?:^|\/)\.cargo\/$/;

/** Folders that are ignored completely are listed as one entry; they hold build output or dependencies. */
async function listIgnoredFiles({ root, git }: GitRepository): Promise<string[]> {
  const words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", "."];
  const listed = (await git.ask(words))?.split("\0").filter((path) => path !== "") ?? [];
  const inside = listed
    .filter((path) => SETTINGS_FOLDER.test(path))
    .flatMap((folder) => listFolderEntries(join(root, folder)).map(({ name }) => folder + name));
  return [...listed.filter((path) => !path.endsWith("/") && !TEMPORARY_BUNDLE_FILE.test(path)), ...inside].toSorted();
}

function readFileState(root: string, path: string, most: number): SourceContent {
  try {
    const parts = path.split("/");
    const places = parts.map((_, i) => join(root, ...parts.slice(0, i + 1)));
    if (places.some((place) => fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()))
      return { kind: "link" };
    const stat = fs.lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return MISSING_FILE;
    return stat.size > most ? { kind: "large" } : decodeFileText(fs.readFileSync(join(root, path)));
  } catch {
    return MISSING_FILE;
  }
}

function decodeFileText(bytes: Buffer): SourceContent {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary", hash: createHash("sha256").update(bytes).digest("hex") };
  }
}

export async function openCommitView(session: GitSession, commit: string): Promise<SourceView | undefined> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  const repository = await session.repository();
  const listed = repository && (await listTree(repository, commit).catch(() => undefined));
  if (!repository || !listed) return undefined;
  const entries = new Map(
    [...listed].flatMap(([raw, file]) => {
      const path = decodeRawPath(raw);
      return path === undefined ? [] : [[path, file] as const];
    }),
  );
  const files = [...entries].filter(([, { mode }]) => mode !== "160000");
  return {
    paths: files.map(([path]) => path).toSorted(),
    ignored: [],
    async read(wanted, most = LARGEST_VIEW_TEXT) {
      const found = wanted.flatMap((path) => entries.get(path) ?? []);
      const blobs = new Set(found.filter(({ mode }) => mode.startsWith("100")).map(({ blob }) => blob));
      const texts = await readBlobTexts(repository, [...blobs], most);
      return new Map(
        wanted.map((path) => {
          const entry = entries.get(path);
          if (entry?.mode === "120000") return [path, { kind: "link" }];
          return [path, (entry && texts.get(entry.blob)) ?? MISSING_FILE];
        }),
      );
    },
  };
}

/** Bytes. Up to here one call of git is cheaper than asking for the sizes first. */
const LARGEST_SINGLE_READ = 8 * 1024 * 1024;

/** Reads everything at once, or if that is much, the sizes first, to skip large blobs. */
export async function readBlobTexts(
  repository: GitRepository,
  objects: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, SourceContent>> {
  const loose = readLooseBlobTexts(repository, objects, most);
  const packed = objects.filter((object) => !loose.has(object));
  return packed.length === 0
    ? loose
    : new Map([...loose, ...(await readPackedBlobTexts(repository.git, packed, most))]);
}

/** Nothing if they are more than fits: git then tells their sizes first. */
function readLooseBlobTexts(
  repository: GitRepository,
  objects: readonly string[],
  most: number,
): Map<string, SourceContent> {
  const found = new Map<string, SourceContent>();
  let room = LARGEST_VIEW_TOTAL;
  for (const object of objects) {
    const loose = readLooseObject(repository, object);
    if (loose?.type !== "blob") continue;
    room -= loose.data.length;
    if (room < 0) return new Map();
    found.set(object, loose.data.length > most ? { kind: "large" } : decodeFileText(loose.data));
  }
  return found;
}

async function readPackedBlobTexts(
  git: GitCommand,
  objects: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, SourceContent>> {
  const all = await git.run(["cat-file", "--batch"], {
    input: formatObjectNames(objects),
    largestAnswer: LARGEST_SINGLE_READ,
  });
  return all.code === 0 ? parseBlobTexts(all.out, most) : readSmallBlobTexts(git, objects, most);
}

const formatObjectNames = (names: readonly string[]): string => `${names.join("\n")}\n`;

function parseBlobTexts(out: Buffer, most: number): Map<string, SourceContent> {
  const found = new Map<string, SourceContent>();
  for (let place = 0; place < out.length;) {
    const start = out.indexOf("\n", place) + 1;
    const [object = "", , bytes] = out.toString("latin1", place, start - 1).split(" ");
    place = start;
    // Git has no such object.
    if (bytes === undefined) continue;
    const size = Number(bytes);
    found.set(object, size > most ? { kind: "large" } : decodeFileText(out.subarray(start, start + size)));
    place += size + 1;
  }
  return found;
}

async function readSmallBlobTexts(
  git: GitCommand,
  objects: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, SourceContent>> {
  const words = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
  const sizes = await git.ask(words, { input: formatObjectNames(objects) });
  const large = new Map<string, SourceContent>();
  const small: string[] = [];
  let room = LARGEST_VIEW_TOTAL;
  for (const line of sizes?.split("\n") ?? []) {
    const [object = "", size = ""] = line.split(" ");
    if (!/^\d+$/.test(size)) continue;
    if (Number(size) > Math.min(most, room)) {
      large.set(object, { kind: "large" });
      continue;
    }
    room -= Number(size);
    small.push(object);
  }
  if (small.length === 0) return large;
  const largestAnswer = LARGEST_VIEW_TOTAL - room + small.length * 200 + 1024;
  const { code, out } = await git.run(["cat-file", "--batch"], { input: formatObjectNames(small), largestAnswer });
  return code === 0 ? new Map([...large, ...parseBlobTexts(out, most)]) : large;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const READ_STAMPED_FILE = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
/** Nanoseconds. Some file systems record steps of two seconds: a recent file may change and keep its stamp. */
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
  let standing = MISSING_FILE;
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    const before = fs.fstatSync(fd, { bigint: true });
    if (!before.isFile()) return { kind: "link", stamp: "" };
    standing = before.size > most ? { kind: "large" } : decodeFileText(readFileBytes(fd, Number(before.size)));
    const after = fs.fstatSync(fd, { bigint: true });
    if (formatFileStamp(after) !== formatFileStamp(before)) continue;
    // Every write sets the change time, and no program can set it back.
    const isRecent = BigInt(Date.now()) * 1_000_000n - after.ctimeNs < CLOCK_STEP_NS;
    return { ...standing, stamp: isRecent ? "" : formatFileStamp(after) };
  }
  return { ...standing, stamp: "" };
}

function readFileBytes(fd: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let read = 0;
  for (let more = 1; more > 0 && read < length; read += more) more = fs.readSync(fd, bytes, read, length - read, read);
  return bytes.subarray(0, read);
}

const USUALLY_IGNORED =
  /^(?:\.git|\.sdd|sdd|node_modules|dist|build|target|vendor|coverage|__pycache__|\.venv|venv|\.gradle|\.idea|\.next)$/;
const MOST_WALKED_FILES = 100_000;

export function walkFolderFiles(root: string, withLinks = false): string[] {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined && found.length < MOST_WALKED_FILES; folder = folders.pop()) {
    for (const entry of listFolderEntries(join(root, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() || (withLinks && entry.isSymbolicLink())) found.push(path);
      else if (entry.isDirectory() && !USUALLY_IGNORED.test(entry.name)) folders.push(path);
    }
  }
  return found;
}

export function listFolderEntries(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
