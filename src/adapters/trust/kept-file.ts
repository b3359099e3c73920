import fs from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import { validatePassedVariables } from "#domain/stack/passed.ts";
import type { TrustedSurface } from "#domain/stack/surface.ts";
import type { TrustGrant } from "#operations/ports/trust.ts";

const MOST_TRUST_BYTES = 8 * 1024 * 1024;
/** Windows does not have the last two flags. */
const SAFE_READ_FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

export interface TrustFile {
  readonly file: string;
  readonly root: string;
  readonly repository: string;
}

/** Returns the reason as text if the file does not count. */
export function readTrustFile(holder: TrustFile): TrustGrant | string {
  const why = explainUnsafePath(holder.file, "file");
  if (why !== undefined) return why;
  const damaged = `${sanitizeText(holder.file, 300)} is damaged.`;
  try {
    const fd = fs.openSync(holder.file, SAFE_READ_FLAGS);
    try {
      if (fs.fstatSync(fd).size > MOST_TRUST_BYTES) return damaged;
      return parseTrustGrant(JSON.parse(fs.readFileSync(fd, "utf8")), holder) ?? damaged;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return damaged;
  }
}

/** Atomic, even with concurrent writers, and synced to disk on return. */
export function writeTrustFile({ file, root, repository }: TrustFile, granted: TrustGrant, id: string): void {
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
    syncTrustFolder(folder);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw createTrustWriteFault(file, error);
  }
}

export function removeTrustFile(file: string): void {
  try {
    fs.rmSync(file, { force: true });
    syncTrustFolder(dirname(file));
  } catch (error) {
    throw createTrustWriteFault(file, error);
  }
}

/** Why another user could have created or changed the path. A missing one is safe. */
export function explainUnsafePath(place: string, kind: "file" | "folder"): string | undefined {
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
function syncTrustFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function createTrustWriteFault(file: string, error: unknown): Fault {
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
function parseTrustGrant(value: unknown, { root, repository }: TrustFile): TrustGrant | undefined {
  if (!isTrustRecord(value) || value["version"] !== 1) return undefined;
  if (value["root"] !== root || value["repository"] !== repository) return undefined;
  const { surface, at, passes } = value;
  if (!isTrustedSurface(surface) || typeof at !== "string" || !isTrustTextList(passes)) return undefined;
  return { surface, at, passes: validatePassedVariables(passes) };
}

function isTrustedSurface(value: unknown): value is TrustedSurface {
  if (!isTrustRecord(value)) return false;
  const { hash, commands, settings, files } = value;
  const isFile = (file: unknown): boolean =>
    isTrustRecord(file) && typeof file["path"] === "string" && typeof file["hash"] === "string";
  return (
    isTrustHash(hash) &&
    isTrustTextList(commands) &&
    isTrustTextList(settings) &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

const isTrustHash = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

const isTrustTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const isTrustRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
