import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { canGlobsOverlap } from "./glob.ts";
import type { FileLock } from "./record.ts";

const MAX_LOCK_PATH = 1024;
/** Comparing two patterns takes the product of their lengths. */
const MAX_LOCK_PATTERN = 256;
const MAX_WILDCARDS = 16;
/** Files of git and of Tenon itself have their own protection. */
const UNLOCKABLE_PATHS =
  /^(?:\.git|\.sdd)(?:\/|$)|^sdd\/(?:sdd\.json$|changes\/[^/]+\/change\.json$|features\/[^/]+\/spec\.yaml$|waves\/|history\/)/i;

export const formatLockKey = ({ workflow, path }: Pick<FileLock, "workflow" | "path">): string => `${workflow} ${path}`;

/**
 * Normalizes a path for locks: relative to the repository, with forward slashes. It need not exist. A trailing slash
 * means everything in the folder.
 */
export function parseLockPath(said: string): string {
  const parts: string[] = [];
  const text = said.normalize("NFC").replaceAll("\\", "/");
  if (text.startsWith("/") || /^[A-Za-z]:/.test(text))
    throw createLockPathFault(said, "It is not relative to the repository");
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw createLockPathFault(said, "It leads out of the repository");
  }
  const path = parts.join("/") + (text.endsWith("/") ? "/**" : "");
  if (parts.length === 0) throw createLockPathFault(said, "It names no file");
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (path.length > MAX_LOCK_PATH || /[\u0000-\u001f]/.test(path))
    throw createLockPathFault(said, "No file has such a name");
  const wild = path.match(/[*?]+/g)?.length ?? 0;
  if (wild > MAX_WILDCARDS || (wild > 0 && path.length > MAX_LOCK_PATTERN))
    throw createLockPathFault(said, "It is too long a pattern");
  if (UNLOCKABLE_PATHS.test(path)) throw createLockPathFault(said, "It belongs to git or to Tenon itself");
  return path;
}

function createLockPathFault(said: string, why: string): Fault {
  return new Fault("lock.bad-path", {
    what: `${quote(said)} cannot be locked.`,
    why: `${why}.`,
    fix: { operation: "workflow.lock", input: { action: "claim", paths: ["src/login.ts"] } },
  });
}

export interface LockConflict {
  readonly path: string;
  readonly lock: FileLock;
}

export const isLockHeld = (lock: FileLock): boolean => lock.released_at === undefined;

/** Only a claim may be a pattern. An edited path is literal, even if it contains wildcard letters. */
export const isPathLocked = (lock: Pick<FileLock, "how" | "path">, path: string): boolean =>
  lock.how === "claim" ? canGlobsOverlap(lock.path, path) : lock.path === path;

export function findLockConflicts(
  paths: readonly string[],
  workflow: string,
  locks: Iterable<FileLock>,
  areClaims = false,
): LockConflict[] {
  const others = [...locks].filter((lock) => lock.workflow !== workflow && isLockHeld(lock));
  const isMet = (lock: FileLock, path: string): boolean =>
    areClaims ? canGlobsOverlap(lock.path, path) : isPathLocked(lock, path);
  return paths.flatMap((path) => others.filter((lock) => isMet(lock, path)).map((lock) => ({ path, lock })));
}

export function listSharedPaths(one: string, other: string, locks: Iterable<FileLock>): string[] {
  const all = [...locks].filter(isLockHeld);
  const mine = all.filter((lock) => lock.workflow === one).map(({ path }) => path);
  return [
    ...new Set(
      findLockConflicts(
        mine,
        one,
        all.filter((lock) => lock.workflow === other),
        true,
      ).map(chooseNarrowerPath),
    ),
  ].toSorted();
}

export const chooseNarrowerPath = ({ path, lock }: LockConflict): string => (/[*?]/.test(path) ? lock.path : path);
