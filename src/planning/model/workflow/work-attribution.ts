import { findLockConflicts, isLockHeld, isPathLocked } from "./file-locks.ts";
import { isWithinShells } from "./journal-fold.ts";
import type { FileLock, WorkSession } from "./workflow-record.ts";

/** Corrections by the user, and what the work began from. Kept in the ledger by the id of the workflow or change. */
export interface WorkBasis {
  readonly checkout: string;
  /** The files when it began, as a commit. */
  readonly commit: string;
  readonly head?: string | undefined;
  readonly branches: readonly string[];
  readonly log_mark?: string | undefined;
  /** In milliseconds. A file that changed later was changed after the work began. */
  readonly begun_ms?: number | undefined;
  readonly claimed?: readonly string[];
  readonly excluded?: readonly ExcludedPath[];
}

interface ExcludedPath {
  readonly path: string;
  readonly reason: string;
}

/**
 * `edit`: reported by a client. `presumed`: changed in the only work here. `tag`: names the spec. `claim`: by a call.
 */
export type WorkReason = "edit" | "presumed" | "tag" | "claim";

export interface WorkFacts {
  readonly id: string;
  readonly paths: readonly string[];
  readonly locks: readonly FileLock[];
  readonly basis: Pick<WorkBasis, "claimed" | "excluded">;
  /** Whether the change of the file added a tag of this work. */
  readonly isTagged: (path: string) => boolean;
  /** Whether a change without an author counts as the work, because nothing recorded authors when it began. */
  readonly isPresumed?: boolean;
}

export interface AttributedPaths {
  readonly own: readonly { readonly path: string; readonly why: WorkReason }[];
  readonly excluded: readonly ExcludedPath[];
  /** Other unfinished work has them. */
  readonly others: readonly { readonly path: string; readonly holder: string }[];
  /** Changed by an editor, a tool or a process that no client reported. Not judged, not locked, not rolled back. */
  readonly unattributed: readonly string[];
}

const LOCK_REASONS = { edit: "edit", git: "presumed", claim: "claim" } as const;

export function attributePaths({ id, paths, locks, basis, isTagged, isPresumed }: WorkFacts): AttributedPaths {
  const own: { path: string; why: WorkReason }[] = [];
  const excluded: ExcludedPath[] = [];
  const others: { path: string; holder: string }[] = [];
  const unattributed: string[] = [];
  // A release lets others work on a file. An edit that a client reported stays the work.
  const mine = locks.filter((lock) => lock.workflow === id && (isLockHeld(lock) || lock.how === "edit"));
  for (const path of paths) {
    const left = basis.excluded?.find((each) => each.path === path);
    const held = mine.find((lock) => isPathLocked(lock, path));
    const [other] = findLockConflicts([path], id, locks);
    if (left) excluded.push(left);
    else if (basis.claimed?.includes(path)) own.push({ path, why: "claim" });
    else if (held && held.how !== "claim") own.push({ path, why: LOCK_REASONS[held.how] });
    else if (other) others.push({ path, holder: other.lock.workflow });
    else if (isTagged(path)) own.push({ path, why: "tag" });
    else if (held) own.push({ path, why: LOCK_REASONS[held.how] });
    else if (isPresumed) own.push({ path, why: "presumed" });
    else unattributed.push(path);
  }
  return { own, excluded, others, unattributed };
}

type ShellSession = Pick<WorkSession, "shells" | "shell_changes" | "mixed">;

export interface ShellFacts {
  readonly paths: readonly string[];
  /** When each path last changed, in milliseconds by the file system. */
  readonly times: ReadonlyMap<string, number>;
  readonly own: readonly ShellSession[];
  readonly beside: readonly ShellSession[];
}

/** Files that only commands of these sessions changed, even if git or an editor changed them again since then. */
export function findShellEdits({ paths, times, own, beside }: ShellFacts) {
  const shells = own.flatMap((each) => each.shells ?? []);
  const others = beside.flatMap((each) => each.shells ?? []);
  const changes = own.flatMap((each) => each.shell_changes ?? []);
  const noted = Map.groupBy(changes, ([path]) => path);
  // A deletion by others has the time of its folder, in which a command may make files later.
  const mixed = new Set(own.flatMap((each) => each.mixed ?? []));
  return paths.flatMap((path) => {
    const seen = [...(noted.get(path) ?? []).map(([, each]) => each), mixed.has(path) ? undefined : times.get(path)];
    const time = seen.findLast((each) => isWithinShells(each, shells) && !isWithinShells(each, others));
    return time === undefined ? [] : [{ path, how: "edit" as const, changed_ms: time }];
  });
}
