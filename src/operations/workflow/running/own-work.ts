import { conflictsWith, covers, isHeld } from "#domain/workflow/locks.ts";
import type { Lock } from "#domain/workflow/record.ts";
import { NOBODY } from "#domain/workflow/session-name.ts";
import type { Engine } from "../../engine.ts";
import type { Draft } from "./draft.ts";
import { currentIn, type Runtime } from "./runtime.ts";

const NOT_WORK = /^\.?sdd\//;

export interface OwnWork {
  readonly workflow: string;
  readonly paths: readonly string[];
  readonly tree: string;
}

/**
 * Finds edits made by a shell, which hooks do not see. If several sessions work in one folder on different work, the
 * author of a change is unknown, so no workflow gets it.
 */
export async function ownWork(
  engine: Pick<Engine, "snapshots" | "checkout">,
  runtime: Runtime,
  session: string,
): Promise<OwnWork | undefined> {
  const workflow = currentIn(runtime, session);
  if (workflow === undefined || !(await engine.snapshots.isPossible())) return undefined;
  const tree = await engine.snapshots.tree();
  const known = runtime.sessions.get(session) ?? runtime.sessions.get(NOBODY);
  // The tree of another checkout cannot be compared with this one.
  const since = known?.checkout === engine.checkout ? known.tree : undefined;
  const isUntold = since === undefined || since === tree || isCrowded(runtime, workflow, engine.checkout);
  if (isUntold || !(await engine.snapshots.has(since))) return { workflow, paths: [], tree };
  const differences = await engine.snapshots.between(since, tree);
  // Files from a pull, a merge or another branch are committed, and their commits name the owner.
  const open = new Set(await engine.snapshots.uncommitted());
  const paths = differences.map(({ path }) => path).filter((path) => open.has(path) && !NOT_WORK.test(path));
  return { workflow, paths, tree };
}

function isCrowded(runtime: Runtime, workflow: string, here: string): boolean {
  return [...runtime.sessions.values()].some(({ id, current, checkout, tree }) => {
    if (current === undefined || current === workflow || checkout !== here) return false;
    const lease = runtime.lease(current);
    return id === NOBODY ? tree !== undefined : lease?.holder === id && lease.isLive;
  });
}

export function lockOwnWork(draft: Draft, work: OwnWork | undefined): void {
  if (!work) return;
  const { workflow, paths } = work;
  const mine = draft.runtime.locks.filter((lock) => lock.workflow === workflow && isHeld(lock));
  const fresh = paths.filter(
    (path) =>
      !mine.some((lock) => covers(lock, path)) && conflictsWith([path], workflow, draft.runtime.locks).length === 0,
  );
  for (const path of fresh) draft.putLock({ workflow, path, at: draft.at, how: "git" } satisfies Lock);
  if (fresh.length > 0) draft.say("lock.taken", workflow, { paths: fresh.slice(0, 100) });
}

export function withOwnWork(runtime: Runtime, work: OwnWork | undefined): Runtime {
  if (!work) return runtime;
  const fresh = work.paths.map((path): Lock => ({ workflow: work.workflow, path, at: "", how: "git" }));
  return { ...runtime, locks: [...runtime.locks, ...fresh] };
}
