import fs from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { Fault } from "../model/fault.ts";
import type { WorkspacePath } from "../model/workspace-paths.ts";
import { toFileFault, readErrorCode, withFileFault } from "../model/system-error.ts";
import { publishFile, syncFolder, writeSyncedFile } from "./durable-file.ts";
import { recallFile, rememberFile } from "./file-memory.ts";

const LARGEST_FILE_BYTES = 8 * 1024 * 1024;
const READ_REGULAR_FILE = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** The files of one workspace. Never reaches outside its root, whatever links exist. */
export class WorkspaceFiles {
  readonly root: string;
  #knownRealRoot: string | undefined;
  readonly #checked = new Set<string>();

  constructor(root: string) {
    this.root = root;
  }

  /** Asks the system about each folder on the way, and only a link needs it. */
  get #realRoot(): string {
    return (this.#knownRealRoot ??= fs.realpathSync(this.root));
  }

  bytes(path: WorkspacePath): Buffer | undefined {
    const { place, stat: seen } = this.#locate(path);
    const known = seen && recallFile(place, seen);
    if (known) return known;
    let fd: number;
    try {
      fd = fs.openSync(place, READ_REGULAR_FILE);
    } catch (error) {
      if (readErrorCode(error) === "ENOENT" || readErrorCode(error) === "ENOTDIR") return undefined;
      if (readErrorCode(error) === "ENXIO") throw createNotAFileFault(path);
      throw toFileFault(error, path, "read");
    }
    try {
      const stat = fs.fstatSync(fd);
      if (!stat.isFile()) throw createNotAFileFault(path);
      if (stat.size > LARGEST_FILE_BYTES) {
        throw new Fault("files.too-large", {
          what: `${path} cannot be read.`,
          why: `It has ${stat.size} bytes, and Tenon reads at most ${LARGEST_FILE_BYTES}.`,
          fix: `Restore ${path} from git, or shorten it.`,
        });
      }
      const bytes = fs.readFileSync(fd);
      rememberFile(place, stat, bytes);
      return bytes;
    } catch (error) {
      throw toFileFault(error, path, "read");
    } finally {
      fs.closeSync(fd);
    }
  }

  names(folder: WorkspacePath): string[] {
    try {
      const place = this.resolve(folder);
      const entries = fs.readdirSync(place, { withFileTypes: true });
      // So a folder with thousands of records is not asked about each of them again.
      for (const entry of entries) if (entry.isDirectory()) this.#checked.add(place + sep + entry.name);
      return entries.flatMap(({ name }) => (name.startsWith(TEMPORARY_PREFIX) ? [] : [name])).toSorted();
    } catch (error) {
      if (readErrorCode(error) === "ENOENT") return [];
      if (readErrorCode(error) === "ENOTDIR") throw createNotAFileFault(folder, "folder");
      throw toFileFault(error, folder, "read");
    }
  }

  has(path: WorkspacePath): boolean {
    return statWorkspacePath(this.resolve(path), path) !== undefined;
  }

  /** Writes and syncs a temporary file next to the target; `publish` moves it into place. */
  stage(path: WorkspacePath, temporary: string, bytes: Uint8Array): void {
    const folder = dirname(this.resolve(path));
    this.makeFolder(folder, path);
    withFileFault(path, "write", () => writeSyncedFile(join(folder, temporary), bytes, { flag: "w", mode: 0o644 }));
  }

  publish(path: WorkspacePath, temporary: string): void {
    const place = this.resolve(path);
    withFileFault(path, "write", () => {
      if (fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) throw createNotAFileFault(path);
      publishFile(join(dirname(place), temporary), place);
    });
  }

  /** Removes a temporary file, and the folders from `made` down that are empty. */
  discard(path: WorkspacePath, temporary: string, made: WorkspacePath | undefined): void {
    const folder = dirname(this.resolve(path));
    try {
      fs.rmSync(join(folder, temporary), { force: true });
      if (made !== undefined) removeEmptyParents(folder, this.resolve(made));
    } catch (error) {
      if (readErrorCode(error) !== "ENOTDIR") throw toFileFault(error, path, "write");
    }
  }

  missingFolder(path: WorkspacePath): WorkspacePath | undefined {
    const parts = path.split("/");
    const folders = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/") as WorkspacePath);
    return folders.find((folder) => !this.has(folder));
  }

  move(from: WorkspacePath, to: WorkspacePath): void {
    const source = this.resolve(from);
    const target = this.resolve(to);
    this.makeFolder(dirname(target), to);
    withFileFault(to, "write", () => {
      fs.renameSync(source, target);
      syncFolder(dirname(target));
      syncFolder(dirname(source));
    });
    this.#checked.clear();
  }

  /** Syncs the folder of a path and its parents, up to the parent of `made`. */
  settle(path: WorkspacePath, made: WorkspacePath = path): void {
    const top = dirname(this.resolve(made));
    withFileFault(path, "write", () => {
      for (let folder = dirname(this.resolve(path)); folder.startsWith(top); folder = dirname(folder)) {
        if (fs.existsSync(folder)) syncFolder(folder);
      }
    });
  }

  resolve(path: WorkspacePath): string {
    return this.#locate(path).place;
  }

  #locate(path: WorkspacePath): { readonly place: string; readonly stat: fs.Stats | undefined } {
    assertInsideWorkspace(path);
    const end = path.lastIndexOf("/");
    const folder = this.root + sep + path.slice(0, Math.max(0, end));
    const isKnown = this.#checked.has(folder);
    const parts = (isKnown ? path.slice(end + 1) : path).split("/");
    let place = isKnown ? folder : this.root;
    let stat: fs.Stats | undefined;
    for (const [i, part] of parts.entries()) {
      place += sep + part;
      if (this.#checked.has(place)) continue;
      stat = statWorkspacePath(place, path);
      if (stat === undefined) continue;
      if (stat.isSymbolicLink()) place = this.#follow(place, path);
      else if (stat.isDirectory() && i < parts.length - 1) this.#checked.add(place);
    }
    return { place, stat };
  }

  #follow(link: string, path: WorkspacePath): string {
    let target: string;
    try {
      target = fs.realpathSync(link);
    } catch (error) {
      const kind = readErrorCode(error) === "ELOOP" ? "circular" : "broken";
      throw createEscapeFault(path, `It is a ${kind} symbolic link.`);
    }
    const inside = relative(this.#realRoot, target);
    if (inside === ".." || inside.startsWith(`..${sep}`) || inside === "" || join(this.#realRoot, inside) !== target) {
      throw createEscapeFault(path, "A symbolic link in its path leads out of the workspace.");
    }
    if (inside.split(sep)[0]?.toLowerCase() === ".git")
      throw createEscapeFault(path, "A symbolic link in its path leads into .git.");
    return target;
  }

  makeFolder(folder: string, path: WorkspacePath): void {
    if (fs.existsSync(folder)) return;
    this.makeFolder(dirname(folder), path);
    try {
      fs.mkdirSync(folder, { mode: 0o755 });
      fs.chmodSync(folder, 0o755);
      syncFolder(dirname(folder));
    } catch (error) {
      if (readErrorCode(error) !== "EEXIST") throw toFileFault(error, path, "write");
    }
  }
}

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true });
/** Texts of the bytes that `recallFile` keeps, so that a server decodes a file once. */
const decodedTexts = new WeakMap<Buffer, string>();

export function decodeUtf8File(path: WorkspacePath, bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    const text = decodedTexts.get(bytes) ?? STRICT_UTF8.decode(bytes);
    decodedTexts.set(bytes, text);
    return text;
  } catch {
    throw new Fault("files.not-text", {
      what: `${path} cannot be read.`,
      why: "It is not UTF-8 text.",
      fix: `Save ${path} as UTF-8, or restore it from git.`,
    });
  }
}

/** The prefix of temporary files. Their names include the id of the write, so that another process can remove them. */
export const TEMPORARY_PREFIX = ".tenon-";

function removeEmptyParents(folder: string, top: string): void {
  for (let place = folder; place.startsWith(top); place = dirname(place)) {
    try {
      fs.rmdirSync(place);
    } catch (error) {
      if (readErrorCode(error) === "ENOTEMPTY" || readErrorCode(error) === "EEXIST") return;
      if (readErrorCode(error) !== "ENOENT") throw error;
    }
  }
}

function statWorkspacePath(place: string, path: WorkspacePath): fs.Stats | undefined {
  try {
    return fs.lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    if (readErrorCode(error) === "ENOTDIR") return undefined;
    throw toFileFault(error, path, "read");
  }
}

/** A part that is empty, `.` or `..`. */
const OUTSIDE_PATH = /(?:^|\/)\.{0,2}(?:\/|$)/;

export function assertInsideWorkspace(path: WorkspacePath): void {
  if (OUTSIDE_PATH.test(path)) throw createEscapeFault(path, "It is outside the workspace.");
}

export function createNotAFileFault(path: WorkspacePath, kind = "file"): Fault {
  return new Fault("files.not-a-file", {
    what: `${path} cannot be used.`,
    why: `It is not a regular ${kind}.`,
    fix: `Move it away: ls -ld ${path}`,
  });
}

function createEscapeFault(path: WorkspacePath, why: string): Fault {
  const fix = "Replace the link with a folder of the workspace.";
  return new Fault("files.escape", { what: `${path} cannot be used.`, why, fix });
}

/** Its `.gitignore` is renamed into place, so that a link there is replaced and never followed. */
export function makeMachineFolder(folder: string, newId: () => string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
  const place = join(folder, ".gitignore");
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat?.isFile() && stat.size > 0) return;
  const temporary = `${place}.${newId()}.tmp`;
  fs.writeFileSync(temporary, "*\n", { mode: 0o644 });
  fs.renameSync(temporary, place);
}
