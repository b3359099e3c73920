import { Fault } from "../fault.ts";
import { createFlowState, type RunningFlow } from "../flow/flow.ts";
import { type FlowEffect, type FlowEvent, isAtLastStage, transitionFlow } from "../flow/transition.ts";
import { quote } from "../quote.ts";
import { getWorkflowFlow, type WorkflowKind } from "./flows.ts";
import type { WorkflowId } from "./id.ts";
import { getDefaultPriority } from "./queue.ts";
import type { WorkflowRecord } from "./record.ts";
import { openTimebox, pauseTimebox } from "./timebox.ts";

export interface WorkflowProposal {
  readonly id: WorkflowId;
  readonly kind: WorkflowKind;
  readonly title: string;
  readonly priority?: number | undefined;
  readonly base_commit?: string | undefined;
  readonly timebox_s?: number | undefined;
  readonly worktree?: WorkflowRecord["worktree"];
}

export type WorkflowTransition = readonly [record: WorkflowRecord, effects: readonly FlowEffect[]];

export function createWorkflowRecord(proposal: WorkflowProposal, at: string): WorkflowRecord {
  const { id, kind, title, priority = getDefaultPriority(kind), base_commit, timebox_s, worktree } = proposal;
  return {
    id,
    kind,
    title: title.trim(),
    ...createFlowState(getWorkflowFlow(kind), at),
    priority,
    started_at: at,
    updated_at: at,
    ...(base_commit ? { base_commit } : {}),
    approvals: [],
    gates: [],
    retry_history: [],
    ...(timebox_s === undefined ? {} : { timebox: openTimebox(timebox_s, at) }),
    ...(worktree ? { worktree } : {}),
  };
}

/** Completes the workflow at the last stage. */
export function advanceWorkflowRecord(record: WorkflowRecord, at: string): WorkflowTransition {
  const isLast = isAtLastStage(record) && record.status === "active";
  return applyWorkflowEvent(record, { kind: isLast ? "complete" : "advance", at });
}

export function abandonWorkflowRecord(record: WorkflowRecord, reason: string, at: string): WorkflowTransition {
  const [abandoned, effects] = applyWorkflowEvent(record, { kind: "abandon", at });
  return [{ ...abandoned, abandoned: { reason, at } }, effects];
}

function applyWorkflowEvent(record: WorkflowRecord, event: FlowEvent): WorkflowTransition {
  const [state, effects] = transitionFlow(createRunningFlow(record), record, event);
  const isOver = state.status !== "active";
  return [
    {
      ...record,
      ...state,
      updated_at: event.at,
      ...(isOver ? { finished_at: event.at } : {}),
      ...(isOver && record.timebox ? { timebox: pauseTimebox(record.timebox, event.at) } : {}),
    },
    effects,
  ];
}

function createRunningFlow(record: WorkflowRecord): RunningFlow {
  return {
    name: record.id,
    help: { operation: "workflow.status", input: { id: record.id } },
    stages: record.stages.map(({ name }) => ({ name })),
  };
}

export const isActiveWorkflow = ({ status }: Pick<WorkflowRecord, "status">): boolean => status === "active";

export function createUnknownWorkflowFault(id: string, known: readonly string[]): Fault {
  return new Fault("workflow.unknown", {
    what: `There is no workflow ${quote(id, 64)}.`,
    why: known.length === 0 ? "None is under way." : `There are ${known.join(", ")}.`,
    fix: [{ operation: "workflow.status" }, { operation: "workflow.feature", input: { title: "…" } }],
  });
}

export function createNoCurrentWorkflowFault(known: readonly string[], operation: string): Fault {
  return new Fault("workflow.none-current", {
    what: "It is not clear which workflow is meant.",
    why: known.length === 0 ? "None is under way." : "None is current in this session.",
    fix:
      known.length === 0
        ? { operation: "workflow.feature", input: { title: "…" } }
        : known.map((id) => ({ operation, input: { id } })),
  });
}
