import { isPathLocked, isLockHeld } from "./locks.ts";
import type { FileLock } from "./record.ts";

interface SnapshotDifference {
  readonly path: string;
  readonly wasThere: boolean;
}

interface WorkflowCommit {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
}

export interface RollbackFacts {
  readonly id: string;
  readonly since: string;
  readonly differences: readonly SnapshotDifference[];
  readonly locks: readonly FileLock[];
  readonly commits: readonly WorkflowCommit[];
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
