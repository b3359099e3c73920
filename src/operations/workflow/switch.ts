import type * as z from "zod";
import { type Conflict, conflictsWith, isHeld, narrower } from "#domain/workflow/locks.ts";
import type { Snapshot } from "#domain/workflow/record.ts";
import { refuseFenced } from "#domain/workflow/sessions.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { LockedTree, Plan } from "../ports/store.ts";
import { holderLine, holdersOf, sayRefused } from "./running/conflict.ts";
import { Draft } from "./running/draft.ts";
import { dropRefs, withSnapshots } from "./running/keeping-files.ts";
import { keepParked, park } from "./running/parking.ts";
import { refuseRolling } from "./running/rolling-back.ts";
import { currentIn, chooseItem, type Runtime, runtimeIn, sessionIn } from "./running/runtime.ts";
import { takeUp } from "./running/taking-up.ts";
import { warnOfTime } from "./running/time.ts";
import { listed, nextCalls, nextStage, viewWorkflow } from "./running/view.ts";
import { bringUpToDate } from "./running/writing.ts";
import type { Switch, WorkflowSwitched } from "./schema.ts";

type Input = z.infer<typeof Switch>;
type Output = z.infer<typeof WorkflowSwitched>;

export const switchTo = operation<Input, Output>({
  id: "workflow.switch",
  effect: "change",
  input: async () => (await import("./schema.ts")).Switch,
  output: async () => (await import("./schema.ts")).WorkflowSwitched,
  async run(engine, input) {
    await bringUpToDate(engine);
    const session = sessionIn(engine, input.session);
    const runtime = await engine.store.read(runtimeIn);
    const before = currentIn(runtime, session);
    chooseItem(runtime, input.id);
    refuseFenced(input.id, session, runtime.sessions, runtime.lease(input.id));
    const { met, notes } = await move(engine, input, session, runtime);
    if (met.length > 0) {
      return {
        switched: false,
        conflict: true,
        conflicting_files: [...new Set(met.map(narrower))].toSorted(),
        current_workflow: before ?? null,
        target_workflow: input.id,
        holders: holdersOf(met, runtime),
        ...(await shown(engine, runtime, input.id, session)),
        notes: [],
      };
    }
    const after = await engine.store.read(runtimeIn);
    return {
      switched: true,
      conflict: false,
      conflicting_files: [],
      holders: [],
      current_workflow: before ?? null,
      target_workflow: input.id,
      ...(await shown(engine, after, input.id, session)),
      notes,
    };
  },
  page({ switched, target_workflow, current_workflow, conflicting_files, holders, current, workflow, next, notes }) {
    if (!switched) {
      return {
        title: `${target_workflow} was not taken up: others work on ${listed(conflicting_files)}.`,
        points: [
          ...holders.map(holderLine),
          "Finish or abandon that work, release the file, or share it with force; nothing was changed.",
        ],
        next: [
          ...(current_workflow ? [{ operation: "workflow.status", input: { id: current_workflow } }] : []),
          { operation: "workflow.switch", input: { id: target_workflow, force: true } },
        ],
      };
    }
    return {
      title: `${current.id} is current, at stage ${current.stage}. No file was changed.`,
      facts: [
        ...(current_workflow && current_workflow !== current.id ? [["before", current_workflow] as const] : []),
        ...(current.files_locked.length > 0 ? [["locked", listed(current.files_locked)] as const] : []),
      ],
      points: notes,
      ...(next ? { guide: next.guide } : {}),
      next: workflow ? nextCalls(workflow) : [{ operation: "change.status", input: { change_id: current.id } }],
    };
  },
  isRefusal: ({ switched }) => !switched,
});

/** Conflicts with any other work, except for locks that were shared with force. */
function conflictsAt(runtime: Runtime, target: string): Conflict[] {
  const mine = runtime.locks.filter((lock) => lock.workflow === target && isHeld(lock) && !lock.is_shared);
  return conflictsWith(
    mine.map(({ path }) => path),
    target,
    runtime.locks.filter((lock) => !lock.is_shared),
    true,
  );
}

interface Moved {
  readonly met: readonly Conflict[];
  readonly gone: readonly Snapshot[];
  readonly notes: string[];
}

async function move(engine: Engine, { id, force }: Input, session: string, runtime: Runtime): Promise<Moved> {
  const isCurrent = currentIn(runtime, session) === id;
  const parked = isCurrent ? {} : await park(engine, runtime, session);
  const decide = (tree: LockedTree): Plan<Moved> => {
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    chooseItem(draft.runtime, id);
    refuseRolling(tree, id);
    refuseFenced(id, session, draft.runtime.sessions, draft.runtime.lease(id));
    const before = currentIn(draft.runtime, session);
    const met = force || before === id ? [] : conflictsAt(draft.runtime, id);
    if (met.length > 0) {
      sayRefused(draft, id, met);
      return draft.plan({ met, gone: parked.snapshot ? [parked.snapshot] : [], notes: [] });
    }
    const gone = keepParked(draft, tree, session, parked);
    takeUp(draft, id, { session, checkout: engine.checkout, tree: parked.tree });
    draft.say("workflow.switched", id, { ...(before ? { from: before } : {}), session });
    return draft.plan({ met, gone, notes: warnOfTime(draft, id) });
  };
  const moved = await withSnapshots(engine, [parked.snapshot], () => commit(engine, decide));
  await dropRefs(engine, moved.gone);
  const kept = parked.snapshot && !moved.gone.includes(parked.snapshot) ? parked.snapshot : undefined;
  const told = kept ? [`What ${kept.workflow} had done is kept as its snapshot ${kept.n}.`] : [];
  return { ...moved, notes: [...told, ...moved.notes] };
}

async function shown(
  engine: Engine,
  runtime: Runtime,
  id: string,
  session: string,
): Promise<Pick<Output, "current" | "workflow" | "next">> {
  const { kind, stage } = chooseItem(runtime, id);
  const record = runtime.workflows.get(id);
  return {
    current: {
      id,
      kind,
      stage,
      files_locked: runtime.locks.filter((lock) => lock.workflow === id && isHeld(lock)).map(({ path }) => path),
    },
    ...(record
      ? {
          workflow: viewWorkflow(record, runtime, session, engine.clock.now()),
          next: await nextStage(engine, record),
        }
      : {}),
  };
}
