import { findLockConflicts, isPathLocked, isLockHeld } from "#domain/workflow/locks.ts";
import type { FileLock } from "#domain/workflow/record.ts";
import { DEFAULT_SESSION_ID } from "#domain/workflow/session-name.ts";
import type { Engine } from "../../engine.ts";
import type { WorkflowDraft } from "./draft.ts";
import { findCurrentWork, type WorkRuntime } from "./runtime.ts";

const NON_WORK_PATHS = /^\.?sdd\//;

export interface SessionWork {
  readonly workflow: string;
  readonly paths: readonly string[];
  readonly tree: string;
}

/**
 * Finds edits made by a shell, which hooks do not see. If several sessions work in one folder on different work, the
 * author of a change is unknown, so no workflow gets it.
 */
export async function detectSessionWork(
  engine: Pick<Engine, "snapshots" | "checkout">,
  runtime: WorkRuntime,
  session: string,
): Promise<SessionWork | undefined> {
  const workflow = findCurrentWork(runtime, session);
  if (workflow === undefined || !(await engine.snapshots.isPossible())) return undefined;
  const tree = await engine.snapshots.tree();
  const known = runtime.sessions.get(session) ?? runtime.sessions.get(DEFAULT_SESSION_ID);
  // The tree of another checkout cannot be compared with this one.
  const since = known?.checkout === engine.checkout ? known.tree : undefined;
  const isUntold = since === undefined || since === tree || hasOtherWorkers(runtime, workflow, engine.checkout);
  if (isUntold || !(await engine.snapshots.has(since))) return { workflow, paths: [], tree };
  const differences = await engine.snapshots.between(since, tree);
  // Files from a pull, a merge or another branch are committed, and their commits name the owner.
  const open = new Set(await engine.snapshots.uncommitted());
  const paths = differences.map(({ path }) => path).filter((path) => open.has(path) && !NON_WORK_PATHS.test(path));
  return { workflow, paths, tree };
}

function hasOtherWorkers(runtime: WorkRuntime, workflow: string, here: string): boolean {
  return [...runtime.sessions.values()].some(({ id, current, checkout, tree }) => {
    if (current === undefined || current === workflow || checkout !== here) return false;
    const lease = runtime.lease(current);
    return id === DEFAULT_SESSION_ID ? tree !== undefined : lease?.holder === id && lease.isLive;
  });
}

export function lockSessionWork(draft: WorkflowDraft, work: SessionWork | undefined): void {
  if (!work) return;
  const { workflow, paths } = work;
  const mine = draft.runtime.locks.filter((lock) => lock.workflow === workflow && isLockHeld(lock));
  const fresh = paths.filter(
    (path) =>
      !mine.some((lock) => isPathLocked(lock, path)) &&
      findLockConflicts([path], workflow, draft.runtime.locks).length === 0,
  );
  for (const path of fresh) draft.putLock({ workflow, path, at: draft.at, how: "git" } satisfies FileLock);
  if (fresh.length > 0) draft.say("lock.taken", workflow, { paths: fresh.slice(0, 100) });
}

export function addSessionLocks(runtime: WorkRuntime, work: SessionWork | undefined): WorkRuntime {
  if (!work) return runtime;
  const fresh = work.paths.map((path): FileLock => ({ workflow: work.workflow, path, at: "", how: "git" }));
  return { ...runtime, locks: [...runtime.locks, ...fresh] };
}
