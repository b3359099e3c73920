import { Fault } from "#domain/fault.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { rejectLostLease } from "#domain/workflow/sessions.ts";
import { isActiveWorkflow } from "#domain/workflow/workflow.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { LockedStoreTree } from "../../ports/store.ts";
import { foldJournalIntoLedger } from "../fold.ts";
import { WorkflowDraft } from "./draft.ts";
import { finishPendingRollbacks, rejectDuringRollback } from "./rolling-back.ts";
import { resolveWorkflow, type WorkRuntime, loadWorkRuntime } from "./runtime.ts";
import { recordSessionActivity } from "./taking-up.ts";

export async function syncWorkflowState(engine: Engine): Promise<void> {
  await finishPendingRollbacks(engine);
  await foldJournalIntoLedger(engine);
}

interface WorkflowWriter {
  readonly id: string;
  readonly session: string;
}

/**
 * The only way to write for a workflow. Checks again under the store lock that it is active, not being rolled back and
 * not taken over.
 */
export function writeWorkflow<T>(
  engine: Engine,
  { id, session }: WorkflowWriter,
  decide: (draft: WorkflowDraft, record: WorkflowRecord, tree: LockedStoreTree) => T,
): Promise<T> {
  return commitStoreWrite(engine, (tree) => {
    const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
    rejectDuringRollback(tree, id);
    const record = requireWritableWorkflow(draft.runtime, id, session);
    recordSessionActivity(draft, session);
    return draft.plan(decide(draft, draft.workflow(id) ?? record, tree));
  });
}

export function requireWritableWorkflow(runtime: WorkRuntime, id: string, session: string): WorkflowRecord {
  const record = resolveWorkflow(runtime, { id, session }, "workflow.status");
  if (!isActiveWorkflow(record)) throw createInactiveWorkflowFault(record);
  rejectLostLease(id, session, runtime.sessions, runtime.lease(id));
  return record;
}

function createInactiveWorkflowFault({ id, status }: WorkflowRecord): Fault {
  return new Fault("flow.not-active", {
    what: `Nothing was written for ${id}.`,
    why: `It is ${status}.`,
    fix: { operation: "workflow.status", input: { all: true } },
  });
}
