import type * as z from "zod";
import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { conflictsWith, isHeld, lockPath } from "#domain/workflow/locks.ts";
import { refuseFenced } from "#domain/workflow/sessions.ts";
import { noneCurrent } from "#domain/workflow/workflow.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { foldedRuntime, foldJournal } from "./fold.ts";
import { noteRefusal, refuseHeld } from "./running/conflict.ts";
import { Draft } from "./running/draft.ts";
import { currentIn, chooseItem, queueIn, type Runtime, runtimeIn, sessionIn } from "./running/runtime.ts";
import { beSeen } from "./running/taking-up.ts";
import { refuseOverdue, warnOfTime } from "./running/time.ts";
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
      return { changed: [], locks: heldIn(runtime, input.id), notes: [] };
    }
    await foldJournal(engine);
    const { changed, notes } = await change(engine, input, input.paths ?? []);
    return { changed, locks: heldIn(await engine.store.read(runtimeIn)), notes };
  },
  page: ({ changed, locks, notes }) => ({
    title: changed.length > 0 ? `${count(changed.length, "lock")} changed.` : `${count(locks.length, "lock")} held.`,
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
  if (input.action === "claim" && !input.force) await noteHeld(engine, input.id, session, paths);
  return commit(engine, (tree) => {
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    const { runtime } = draft;
    const id = input.id ?? currentIn(runtime, session);
    if (id === undefined)
      throw noneCurrent(
        queueIn(runtime).map((item) => item.id),
        "workflow.lock",
      );
    chooseItem(runtime, id);
    refuseFenced(id, session, runtime.sessions, runtime.lease(id));
    beSeen(draft, session);
    if (input.action === "release") return draft.plan({ changed: release(draft, id, paths), notes: [] });
    const what = `${paths.length === 1 ? paths[0] : count(paths.length, "path")} cannot be locked for ${id}.`;
    const record = draft.workflow(id);
    if (record) refuseOverdue(record, what, draft.at);
    if (!input.force) refuseHeld(conflictsWith(paths, id, runtime.locks), runtime, what);
    const mine = new Set(runtime.locks.filter((each) => each.workflow === id && isHeld(each)).map(({ path }) => path));
    const fresh = paths.filter((path) => !mine.has(path));
    for (const path of fresh) draft.putLock({ workflow: id, path, at: draft.at, how: "claim" });
    if (fresh.length > 0) draft.say("lock.claimed", id, { paths: fresh });
    return draft.plan({ changed: fresh, notes: warnOfTime(draft, id) });
  });
}

/** Whether it will be refused is decided under the lock; that it was is worth keeping, which a refusal cannot do. */
async function noteHeld(
  engine: Engine,
  id: string | undefined,
  session: string,
  paths: readonly string[],
): Promise<void> {
  const runtime = await engine.store.read(runtimeIn);
  const workflow = id ?? currentIn(runtime, session);
  if (workflow !== undefined) await noteRefusal(engine, workflow, conflictsWith(paths, workflow, runtime.locks));
}

function release(draft: Draft, id: string, paths: readonly string[]): string[] {
  const mine = draft.runtime.locks.filter((each) => each.workflow === id && isHeld(each) && paths.includes(each.path));
  for (const each of mine) draft.dropLock(each);
  const released = mine.map(({ path }) => path);
  if (released.length > 0) draft.say("lock.released", id, { paths: released });
  return released;
}

function heldIn(runtime: Runtime, id?: string): Output["locks"] {
  return runtime.locks
    .filter((each) => isHeld(each) && (id === undefined || each.workflow === id))
    .map(({ workflow, path, how, at }) => ({ workflow, path, how, since: at }));
}

function noPaths({ action }: Input): Fault {
  return new Fault("input.missing", {
    what: `Nothing was ${action}ed.`.replace("eed", "ed"),
    why: "No path was named.",
    fix: { operation: "workflow.lock", input: { action, paths: ["src/login.ts"] } },
  });
}
