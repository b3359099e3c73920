import fs from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import { passedNames } from "#domain/stack/passed.ts";
import type { TrustedSurface } from "#domain/stack/surface.ts";
import type { TrustGrant } from "#operations/ports/trust.ts";

const LIMIT = 8 * 1024 * 1024;
/** Windows does not have the last two flags. */
const READ = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

export interface Holder {
  readonly file: string;
  readonly root: string;
  readonly repository: string;
}

/** Returns the reason as text if the file does not count. */
export function readGranted(holder: Holder): TrustGrant | string {
  const why = whyUnsafe(holder.file, "file");
  if (why !== undefined) return why;
  const damaged = `${sanitizeText(holder.file, 300)} is damaged.`;
  try {
    const fd = fs.openSync(holder.file, READ);
    try {
      if (fs.fstatSync(fd).size > LIMIT) return damaged;
      return grantedIn(JSON.parse(fs.readFileSync(fd, "utf8")), holder) ?? damaged;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return damaged;
  }
}

/** Atomic, even with concurrent writers, and synced to disk on return. */
export function writeGranted({ file, root, repository }: Holder, granted: TrustGrant, id: string): void {
  const folder = dirname(file);
  const temporary = join(folder, `.tenon-${id}.tmp`);
  const text = `${JSON.stringify({ version: 1, root, repository, ...granted }, null, 2)}\n`;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = fs.openSync(temporary, "wx", 0o600);
    try {
      fs.writeFileSync(fd, text);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(temporary, file);
    syncFolder(folder);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw unwritable(file, error);
  }
}

export function removeFile(file: string): void {
  try {
    fs.rmSync(file, { force: true });
    syncFolder(dirname(file));
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** Why another user could have created or changed the path. A missing one is safe. */
export function whyUnsafe(place: string, kind: "file" | "folder"): string | undefined {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const name = sanitizeText(place, 300);
  if (stat.isSymbolicLink()) return `${name} is a link, and may lead anywhere.`;
  if (kind === "file" ? !stat.isFile() : !stat.isDirectory()) return `${name} is not a ${kind}.`;
  // Windows uses access lists, which `stat` does not show.
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (stat.uid !== user) return `${name} belongs to another user.`;
  return (stat.mode & 0o022) === 0 ? undefined : `${name} can be written by others.`;
}

/** Windows cannot open a folder to sync it; its file system journals the rename itself. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function unwritable(file: string, error: unknown): Fault {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return new Fault(isFull ? "disk.full" : "files.unwritable", {
    what: `${sanitizeText(file, 300)} could not be written.`,
    why: isFull ? "The disk or the quota is full." : `The system said ${code}.`,
    fix: isFull
      ? "Free some space (df -h), then run the command again."
      : `Check the permissions: ls -la ${dirname(file)}`,
  });
}

/** Returns nothing for incomplete data or data about another checkout. */
function grantedIn(value: unknown, { root, repository }: Holder): TrustGrant | undefined {
  if (!isObject(value) || value["version"] !== 1) return undefined;
  if (value["root"] !== root || value["repository"] !== repository) return undefined;
  const { surface, at, passes } = value;
  if (!isSurface(surface) || typeof at !== "string" || !areTexts(passes)) return undefined;
  return { surface, at, passes: passedNames(passes) };
}

function isSurface(value: unknown): value is TrustedSurface {
  if (!isObject(value)) return false;
  const { hash, commands, settings, files } = value;
  const isFile = (file: unknown): boolean =>
    isObject(file) && typeof file["path"] === "string" && typeof file["hash"] === "string";
  return isHash(hash) && areTexts(commands) && areTexts(settings) && Array.isArray(files) && files.every(isFile);
}

const isHash = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
