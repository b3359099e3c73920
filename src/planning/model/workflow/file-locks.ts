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

/** Relative to the repository, with forward slashes. It need not exist. A trailing slash means the whole folder. */
export function parseLockPath(said: string): string {
  const parts: string[] = [];
  const text = said.normalize("NFC").replaceAll("\\", "/");
  if (text.startsWith("/") || /^[A-Za-z]:/.test(text))
    throw createLockPathFault(said, "It is not relative to the repository");
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw createLockPathFault(said, "It is outside the repository");
  }
  const path = parts.join("/") + (text.endsWith("/") ? "/**" : "");
  if (parts.length === 0) throw createLockPathFault(said, "It does not name a file");
  // oxlint-disable-next-line no-control-regex -- the pattern looks for them
  if (path.length > MAX_LOCK_PATH || /[\u0000-\u001f]/.test(path))
    throw createLockPathFault(said, "Files cannot have such a name");
  const wild = path.match(/[*?]+/g)?.length ?? 0;
  if (wild > MAX_WILDCARDS || (wild > 0 && path.length > MAX_LOCK_PATTERN))
    throw createLockPathFault(said, "The pattern is too long");
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

export interface RollbackFacts {
  readonly id: string;
  readonly since: string;
  readonly differences: readonly { readonly path: string; readonly wasThere: boolean }[];
  readonly locks: readonly FileLock[];
  readonly commits: readonly { readonly paths: readonly string[]; readonly ids: readonly string[] }[];
  /** The workflow's own spec, which is never locked. A rollback restores it but never deletes it. */
  readonly spec: string;
  /** Paths that the user wants to keep, as patterns. */
  readonly except?: readonly string[];
  /** Paths that another rollback changed, which this one undoes. */
  readonly undone?: readonly string[] | undefined;
  readonly claimed?: readonly string[];
  readonly uncommitted?: readonly string[];
  /** Whether a file changed again after the workflow's own last change of it. */
  readonly isChangedSince?: (path: string, lock: FileLock | undefined) => boolean;
}

type RollbackPlanGroup = "own" | "presumed" | "mixed" | "kept" | "unknown" | "overlap";

/** Restores only paths that the workflow is known to have changed. Presumed ones are listed: the user decides. */
export function planRollback(facts: RollbackFacts) {
  const { id, since, differences, locks, commits, spec } = facts;
  const counted = locks.filter(
    (lock) => isLockHeld(lock) || (lock.workflow !== id && lock.released_at !== undefined && lock.released_at >= since),
  );
  const judged = differences.map(({ path, wasThere }) => {
    const locking = counted.filter((lock) => isPathLocked(lock, path));
    const committing = commits.filter(({ paths }) => paths.includes(path)).flatMap(({ ids }) => ids);
    const owners = path === spec ? [id] : [...new Set([...locking.map(({ workflow }) => workflow), ...committing])];
    const others = owners.filter((owner) => owner !== id);
    const own = locking.filter(({ workflow }) => workflow === id);
    const group = groupRollbackPath(facts, { path, wasThere, owners, others, own });
    return { path, wasThere, others, group };
  });
  const selectPaths = (...groups: RollbackPlanGroup[]): string[] =>
    judged.filter(({ group }) => groups.includes(group)).map(({ path }) => path);
  return {
    restored: judged.filter(({ group, wasThere }) => group === "own" && wasThere).map(({ path }) => path),
    deleted: judged.filter(({ group, wasThere }) => group === "own" && !wasThere).map(({ path }) => path),
    presumed: selectPaths("presumed"),
    mixed: selectPaths("mixed"),
    unknown: selectPaths("unknown"),
    // Receipts are never rolled back, so the plan does not list them.
    kept: selectPaths("kept").filter((path) => !path.startsWith("sdd/receipts/")),
    overlaps: judged.filter(({ group }) => group === "overlap").map(({ path, others }) => ({ path, with: others })),
  };
}

interface RollbackPath {
  readonly path: string;
  readonly wasThere: boolean;
  readonly owners: readonly string[];
  readonly others: readonly string[];
  readonly own: readonly FileLock[];
}

function groupRollbackPath(
  facts: RollbackFacts,
  { path, wasThere, owners, others, own }: RollbackPath,
): RollbackPlanGroup {
  const { id, spec, except = [], undone, claimed = [], uncommitted = [], isChangedSince = () => false } = facts;
  if (except.some((pattern) => canGlobsOverlap(pattern, path))) return "kept";
  if (path === spec) return wasThere ? "own" : "kept";
  // Specs, records and decisions have their own owners. A lock or a commit does not assign them to a workflow.
  if (/^\.?sdd\//.test(path)) return "kept";
  const lock = own.find(({ how }) => how === "edit") ?? own.find(({ how }) => how === "claim") ?? own[0];
  if (undone) return undone.includes(path) ? (isChangedSince(path, undefined) ? "mixed" : "own") : "kept";
  if (!owners.includes(id)) return owners.length === 0 && uncommitted.includes(path) ? "unknown" : "kept";
  if (others.length > 0) return "overlap";
  if (claimed.includes(path)) return "own";
  if (isChangedSince(path, lock)) return "mixed";
  if (lock?.how === "edit") return lock.is_mixed ? "mixed" : "own";
  // A commit that names the workflow shows nothing about later changes.
  return lock?.how === "claim" || (!lock && !uncommitted.includes(path)) ? "own" : "presumed";
}

const COMMIT_ID_PATTERN = /\b[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}\b/g;

export const findMessageIds = (message: string): string[] => [...new Set(message.match(COMMIT_ID_PATTERN) ?? [])];
