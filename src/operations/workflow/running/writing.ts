import { Fault } from "#domain/fault.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { refuseFenced } from "#domain/workflow/sessions.ts";
import { isUnfinished } from "#domain/workflow/workflow.ts";
import { commit, type Engine } from "../../engine.ts";
import type { LockedTree } from "../../ports/store.ts";
import { foldJournal } from "../fold.ts";
import { Draft } from "./draft.ts";
import { finishRollbacks, refuseRolling } from "./rolling-back.ts";
import { chooseWorkflow, type Runtime, runtimeIn } from "./runtime.ts";
import { beSeen } from "./taking-up.ts";

export async function bringUpToDate(engine: Engine): Promise<void> {
  await finishRollbacks(engine);
  await foldJournal(engine);
}

interface Writer {
  readonly id: string;
  readonly session: string;
}

/**
 * The only way to write for a workflow. Checks again under the store lock that it is active, not being rolled back and
 * not taken over.
 */
export function writeFor<T>(
  engine: Engine,
  { id, session }: Writer,
  decide: (draft: Draft, record: WorkflowRecord, tree: LockedTree) => T,
): Promise<T> {
  return commit(engine, (tree) => {
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    refuseRolling(tree, id);
    const record = mayBeWritten(draft.runtime, id, session);
    beSeen(draft, session);
    return draft.plan(decide(draft, draft.workflow(id) ?? record, tree));
  });
}

export function mayBeWritten(runtime: Runtime, id: string, session: string): WorkflowRecord {
  const record = chooseWorkflow(runtime, { id, session }, "workflow.status");
  if (!isUnfinished(record)) throw over(record);
  refuseFenced(id, session, runtime.sessions, runtime.lease(id));
  return record;
}

function over({ id, status }: WorkflowRecord): Fault {
  return new Fault("flow.not-active", {
    what: `Nothing was written for ${id}.`,
    why: `It is ${status}.`,
    fix: { operation: "workflow.status", input: { all: true } },
  });
}
