import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { type Conflict, conflictsWith, isHeld, lockPath } from "#domain/workflow/locks.ts";
import { refuseFenced } from "#domain/workflow/sessions.ts";
import { noneCurrent } from "#domain/workflow/workflow.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { LockedTree, Plan } from "../ports/store.ts";
import { foldedRuntime } from "./fold.ts";
import { refuseHeld, sayRefused } from "./running/conflict.ts";
import { Draft } from "./running/draft.ts";
import { refuseRolling } from "./running/rolling-back.ts";
import { currentIn, chooseItem, queueIn, type Runtime, runtimeIn, sessionIn } from "./running/runtime.ts";
import { beSeen } from "./running/taking-up.ts";
import { refuseOverdue, warnOfTime } from "./running/time.ts";
import { bringUpToDate } from "./running/writing.ts";
import type { Lock, Locks } from "./schema.ts";

type Input = z.infer<typeof Lock>;
type Output = z.infer<typeof Locks>;

export const lock = operation<Input, Output>({
  id: "workflow.lock",
  effect: "change",
  input: async () => (await import("./schema.ts")).Lock,
  output: async () => (await import("./schema.ts")).Locks,
  async run(engine, input) {
    if (input.action === "list") {
      const runtime = await foldedRuntime(engine);
      return { action: input.action, changed: [], locks: heldIn(runtime, input.id), notes: [] };
    }
    await bringUpToDate(engine);
    const { changed, notes } = await change(engine, input, input.paths ?? []);
    return { action: input.action, changed, locks: heldIn(await engine.store.read(runtimeIn)), notes };
  },
  page: ({ action, changed, locks, notes }) => ({
    title:
      action === "list"
        ? `${formatCount(locks.length, "lock")} held.`
        : `${action === "claim" ? "Claimed" : "Released"}: ${changed.length > 0 ? changed.join(", ") : "nothing"}.`,
    table: {
      columns: ["workflow", "path", "how", "since"],
      rows: locks.map(({ workflow, path, how, since }) => [workflow, path, how, since]),
    },
    points: notes,
  }),
});

async function change(
  engine: Engine,
  input: Input,
  said: readonly string[],
): Promise<Pick<Output, "changed" | "notes">> {
  if (said.length === 0) throw noPaths(input);
  const paths = [...new Set(said.map(lockPath))];
  const session = sessionIn(engine, input.session);
  const { held, ...done } = await commit(engine, (tree): Plan<Changed> => {
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    const id = meant(draft, tree, input, session);
    if (input.action === "release")
      return draft.plan({ changed: release(draft, id, paths), notes: notHeld(draft, id, paths) });
    return draft.plan(claim(draft, id, paths, input.force ?? false));
  });
  // The ledger records the rejection, so the fault comes after the write.
  if (held) refuseHeld(held.conflicts, held.runtime, held.what, held.id);
  return done;
}

interface Changed extends Pick<Output, "changed" | "notes"> {
  readonly held?: {
    readonly id: string;
    readonly what: string;
    readonly conflicts: readonly Conflict[];
    readonly runtime: Runtime;
  };
}

/** The work that the locks belong to: a workflow, or a change, which has no record here. */
function meant(draft: Draft, tree: LockedTree, { id: said }: Input, session: string): string {
  const { runtime } = draft;
  const id = said ?? currentIn(runtime, session);
  if (id === undefined)
    throw noneCurrent(
      queueIn(runtime).map((item) => item.id),
      "workflow.lock",
    );
  refuseRolling(tree, id);
  chooseItem(runtime, id);
  refuseFenced(id, session, runtime.sessions, runtime.lease(id));
  beSeen(draft, session);
  return id;
}

function claim(draft: Draft, id: string, paths: readonly string[], isForced: boolean): Changed {
  const { runtime } = draft;
  const what = `${paths.length === 1 ? paths[0] : formatCount(paths.length, "path")} cannot be locked for ${id}.`;
  const record = draft.workflow(id);
  if (record) refuseOverdue(record, what, draft.at);
  const conflicts = conflictsWith(paths, id, runtime.locks, true);
  if (conflicts.length > 0 && !isForced) {
    sayRefused(draft, id, conflicts);
    return { changed: [], notes: [], held: { id, what, conflicts, runtime } };
  }
  const mine = new Set(runtime.locks.filter((each) => each.workflow === id && isHeld(each)).map(({ path }) => path));
  const fresh = paths.filter((path) => !mine.has(path));
  const isShared = (path: string): boolean => conflicts.some((conflict) => conflict.path === path);
  for (const path of fresh)
    draft.putLock({ workflow: id, path, at: draft.at, how: "claim", ...(isShared(path) ? { is_shared: true } : {}) });
  if (fresh.length > 0)
    draft.say("lock.claimed", id, { paths: fresh, ...(conflicts.length > 0 ? { forced: true } : {}) });
  return { changed: fresh, notes: warnOfTime(draft, id) };
}

function notHeld(draft: Draft, id: string, paths: readonly string[]): string[] {
  return conflictsWith(paths, id, draft.runtime.locks, true).map(
    ({ path, lock: other }) => `${path} is held by ${other.workflow}.`,
  );
}

function release(draft: Draft, id: string, paths: readonly string[]): string[] {
  const mine = draft.runtime.locks.filter((each) => each.workflow === id && isHeld(each) && paths.includes(each.path));
  for (const each of mine) draft.putLock({ ...each, released_at: draft.at });
  const released = mine.map(({ path }) => path);
  draft.say("lock.released", id, { paths: released });
  return released;
}

function heldIn(runtime: Runtime, id?: string): Output["locks"] {
  return runtime.locks
    .filter((each) => isHeld(each) && (id === undefined || each.workflow === id))
    .map(({ workflow, path, how, at }) => ({ workflow, path, how, since: at }));
}

function noPaths({ action }: Input): Fault {
  return new Fault("input.missing", {
    what: action === "claim" ? "Nothing was claimed." : "Nothing was released.",
    why: "No path was named.",
    fix: { operation: "workflow.lock", input: { action, paths: ["src/login.ts"] } },
  });
}
