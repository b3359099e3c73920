import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { canGlobsOverlap } from "#kernel/model/path-glob.ts";
import type { FileLock } from "./workflow-record.ts";

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
  const theirs = all.filter((lock) => lock.workflow === other);
  return [...new Set(findLockConflicts(mine, one, theirs, true).map(chooseNarrowerPath))].toSorted();
}

export const chooseNarrowerPath = ({ path, lock }: LockConflict): string => (/[*?]/.test(path) ? lock.path : path);

interface SnapshotDifference {
  readonly path: string;
  readonly wasThere: boolean;
}

export interface RollbackFacts {
  readonly id: string;
  readonly since: string;
  readonly differences: readonly SnapshotDifference[];
  readonly locks: readonly FileLock[];
  readonly commits: readonly { readonly paths: readonly string[]; readonly ids: readonly string[] }[];
  /** The workflow's own spec, which is never locked. A rollback restores it but never deletes it. */
  readonly spec: string;
}

export interface RollbackPlan {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly kept: readonly string[];
  /** Files that belong to this workflow and to another one. Only the user can decide about them. */
  readonly overlaps: readonly { readonly path: string; readonly with: readonly string[] }[];
}

/** Specs, records and decisions have their own owners. A lock or a commit does not assign them to a workflow. */
const TENON_PATHS = /^\.?sdd\//;

/** Receipts are never rolled back, so the plan does not list them. */
const RECEIPT_PATHS = /^sdd\/receipts\//;

/** Decides for each differing path. Paths of other work or without an owner stay unchanged. */
export function planRollback(facts: RollbackFacts): RollbackPlan {
  const { id, spec, differences } = facts;
  const judged = differences.map(({ path, wasThere }) => {
    const owners = path === spec ? [id] : listPathOwners(path, facts);
    const others = owners.filter((owner) => owner !== id);
    const isMine = owners.includes(id) && (path === spec || !TENON_PATHS.test(path));
    return { path, wasThere, isMine, others };
  });
  const mine = judged.filter(({ isMine }) => isMine);
  const alone = mine.filter(({ others }) => others.length === 0);
  const pathsOf = (some: readonly SnapshotDifference[]): string[] => some.map(({ path }) => path);
  return {
    restored: pathsOf(alone.filter(({ wasThere }) => wasThere)),
    deleted: pathsOf(alone.filter(({ wasThere, path }) => !wasThere && path !== spec)),
    kept: pathsOf(
      judged.filter(
        ({ isMine, wasThere, path }) => (!isMine && !RECEIPT_PATHS.test(path)) || (!wasThere && path === spec),
      ),
    ),
    overlaps: mine.filter(({ others }) => others.length > 0).map(({ path, others }) => ({ path, with: others })),
  };
}

function listPathOwners(path: string, { id, since, locks, commits }: RollbackFacts): string[] {
  const counts = (lock: FileLock): boolean =>
    isLockHeld(lock) || (lock.workflow !== id && lock.released_at !== undefined && lock.released_at >= since);
  const locking = locks.filter((lock) => counts(lock) && isPathLocked(lock, path)).map(({ workflow }) => workflow);
  const committing = commits.filter(({ paths }) => paths.includes(path)).flatMap(({ ids }) => ids);
  return [...new Set([...locking, ...committing])];
}

const COMMIT_ID_PATTERN = /\b[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}\b/g;

export const findMessageIds = (message: string): string[] => [...new Set(message.match(COMMIT_ID_PATTERN) ?? [])];
