import { covers, isHeld } from "./locks.ts";
import type { Lock } from "./record.ts";

interface Difference {
  readonly path: string;
  readonly wasThere: boolean;
}

interface TaggedCommit {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
}

export interface RollbackFacts {
  readonly id: string;
  readonly since: string;
  readonly differences: readonly Difference[];
  readonly locks: readonly Lock[];
  readonly commits: readonly TaggedCommit[];
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
const OWNED_OTHERWISE = /^\.?sdd\//;

/** Receipts are never rolled back, so the plan does not list them. */
const PROOF = /^sdd\/receipts\//;

/** Decides for each differing path. Paths of other work or without an owner stay unchanged. */
export function planRollback(facts: RollbackFacts): RollbackPlan {
  const { id, spec, differences } = facts;
  const judged = differences.map(({ path, wasThere }) => {
    const owners = path === spec ? [id] : ownersOf(path, facts);
    const others = owners.filter((owner) => owner !== id);
    const isMine = owners.includes(id) && (path === spec || !OWNED_OTHERWISE.test(path));
    return { path, wasThere, isMine, others };
  });
  const mine = judged.filter(({ isMine }) => isMine);
  const alone = mine.filter(({ others }) => others.length === 0);
  const pathsOf = (some: readonly Difference[]): string[] => some.map(({ path }) => path);
  return {
    restored: pathsOf(alone.filter(({ wasThere }) => wasThere)),
    deleted: pathsOf(alone.filter(({ wasThere, path }) => !wasThere && path !== spec)),
    kept: pathsOf(
      judged.filter(({ isMine, wasThere, path }) => (!isMine && !PROOF.test(path)) || (!wasThere && path === spec)),
    ),
    overlaps: mine.filter(({ others }) => others.length > 0).map(({ path, others }) => ({ path, with: others })),
  };
}

function ownersOf(path: string, { id, since, locks, commits }: RollbackFacts): string[] {
  const counts = (lock: Lock): boolean =>
    isHeld(lock) || (lock.workflow !== id && lock.released_at !== undefined && lock.released_at >= since);
  const locking = locks.filter((lock) => counts(lock) && covers(lock, path)).map(({ workflow }) => workflow);
  const committing = commits.filter(({ paths }) => paths.includes(path)).flatMap(({ ids }) => ids);
  return [...new Set([...locking, ...committing])];
}

const NAMED = /\b[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}\b/g;

export const idsInMessage = (message: string): string[] => [...new Set(message.match(NAMED) ?? [])];
