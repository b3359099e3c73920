import { covers, isHeld } from "./locks.ts";
import type { Lock } from "./record.ts";

/** How a path differs now from what it was: whether it was there then. */
interface Difference {
  readonly path: string;
  readonly wasThere: boolean;
}

/** A commit made since the snapshot, with the workflows that its message names. */
interface TaggedCommit {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
}

export interface RollbackFacts {
  readonly id: string;
  /** When the snapshot was taken. */
  readonly since: string;
  readonly differences: readonly Difference[];
  /** Of every workflow, also those that have ended since. */
  readonly locks: readonly Lock[];
  readonly commits: readonly TaggedCommit[];
  /** The workflow's own spec, which nobody locks. It goes back to what it was, but it never goes. */
  readonly spec: string;
}

export interface RollbackPlan {
  /** Become what they were. */
  readonly restored: readonly string[];
  /** Were not there, and go. */
  readonly deleted: readonly string[];
  /** Differ, but are not this workflow's. */
  readonly kept: readonly string[];
  /** Are this workflow's and another's too: nobody but the user can say whose word counts. */
  readonly overlaps: readonly { readonly path: string; readonly with: readonly string[] }[];
}

/** Specs, records and decisions have owners of their own: no lock and no commit makes them this workflow's. */
const OWNED_OTHERWISE = /^\.?sdd\//;

/** What was proved stays proved, whatever is rolled back: that it stays is no news. */
const PROOF = /^sdd\/receipts\//;

/** What a rollback would do to each path that differs. What is nobody's, or somebody else's, stays as it is. */
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

/** Every workflow that has, or had since the snapshot, a claim to the path. */
function ownersOf(path: string, { id, since, locks, commits }: RollbackFacts): string[] {
  const counts = (lock: Lock): boolean =>
    isHeld(lock) || (lock.workflow !== id && lock.released_at !== undefined && lock.released_at >= since);
  const locking = locks.filter((lock) => counts(lock) && covers(lock, path)).map(({ workflow }) => workflow);
  const committing = commits.filter(({ paths }) => paths.includes(path)).flatMap(({ ids }) => ids);
  return [...new Set([...locking, ...committing])];
}

const NAMED = /\b[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}\b/g;

/** The workflows that a commit's message names, as `feat(AUTH-001): …` or in a trailer. */
export const idsInMessage = (message: string): string[] => [...new Set(message.match(NAMED) ?? [])];
