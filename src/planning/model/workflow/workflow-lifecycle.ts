import { Fault } from "#kernel/model/fault.ts";
import type { FlowEffect, FlowEvent } from "#kernel/model/flow/flow-engine.ts";
import { createFlowState, isAtLastStage, transitionFlow } from "#kernel/model/flow/flow-engine.ts";
import { findClosestWord, quote } from "#kernel/model/text-format.ts";
import type { WorkflowKind, WorkflowRecord } from "./workflow-record.ts";
import { getWorkflowFlow, openTimebox, pauseTimebox } from "./workflow-record.ts";
import { type WorkflowId, isWorkflowId, parseWorkflowId } from "#kernel/model/workflow-id.ts";
import type { SteadyMoment } from "#kernel/model/utc-time.ts";
import { getDefaultPriority } from "./work-queue.ts";

type WorkflowProposal = Pick<WorkflowRecord, "id" | "kind" | "title"> & {
  readonly priority?: number | undefined;
  readonly base_commit?: string | undefined;
  readonly timebox_s?: number | undefined;
  readonly steady?: SteadyMoment | undefined;
  readonly worktree?: WorkflowRecord["worktree"] | undefined;
};

type WorkflowTransition = readonly [record: WorkflowRecord, effects: readonly FlowEffect[]];

export function createWorkflowRecord(proposal: WorkflowProposal, at: string): WorkflowRecord {
  const { id, kind, title, priority = getDefaultPriority(kind), base_commit, timebox_s, steady, worktree } = proposal;
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
    ...(timebox_s === undefined ? {} : { timebox: openTimebox(timebox_s, at, steady) }),
    ...(worktree ? { worktree } : {}),
  };
}

/** Completes the workflow at the last stage. */
export function advanceWorkflowRecord(record: WorkflowRecord, at: string, steady?: SteadyMoment): WorkflowTransition {
  const isLast = isAtLastStage(record) && record.status === "active";
  return applyWorkflowEvent(record, { kind: isLast ? "complete" : "advance", at }, steady);
}

export function abandonWorkflowRecord(
  record: WorkflowRecord,
  reason: string,
  at: string,
  steady?: SteadyMoment,
): WorkflowTransition {
  const [abandoned, effects] = applyWorkflowEvent(record, { kind: "abandon", at }, steady);
  return [{ ...abandoned, abandoned: { reason, at } }, effects];
}

function applyWorkflowEvent(record: WorkflowRecord, event: FlowEvent, steady?: SteadyMoment): WorkflowTransition {
  const { id, stages } = record;
  const help = { operation: "workflow.status", input: { id } };
  const [state, effects] = transitionFlow({ name: id, help, stages }, record, event);
  const isOver = state.status !== "active";
  const ended = isOver ? { finished_at: event.at } : {};
  const paused = isOver && record.timebox ? { timebox: pauseTimebox(record.timebox, event.at, steady) } : {};
  return [{ ...record, ...state, updated_at: event.at, ...ended, ...paused }, effects];
}

export const isActiveWorkflow = ({ status }: Pick<WorkflowRecord, "status">): boolean => status === "active";

export function createUnknownWorkflowFault(id: string, known: readonly { readonly id: string }[]): Fault {
  const near = findClosestWord(
    id,
    known.map((each) => each.id),
  );
  return new Fault("workflow.unknown", {
    what: `Unknown workflow ${quote(id, 64)}.${near ? ` Did you mean ${quote(near)}?` : ""}`,
    why:
      known.length === 0
        ? "No workflow is in progress."
        : `Known workflows: ${known.map((each) => each.id).join(", ")}.`,
    fix: [{ operation: "workflow.status" }, { operation: "workflow.feature", input: { description: "…" } }],
  });
}

export function createNoCurrentWorkflowFault(known: readonly { readonly id: string }[], operation: string): Fault {
  return new Fault("workflow.none-current", {
    what: known.length === 0 ? "No workflow is in progress." : "Several workflows match.",
    why: known.length === 0 ? "Start one first." : "None is current in this session, so name one by its id.",
    fix:
      known.length === 0
        ? { operation: "workflow.feature", input: { description: "…" } }
        : known.map(({ id }) => ({ operation, input: { id } })),
  });
}

const FIXED_ID_PREFIXES: Readonly<Partial<Record<WorkflowKind, string>>> = { bugfix: "BUG", research: "RES" };
const MAX_ID_PREFIX = 12;

/** For a feature: the first word of the title with at least two letters. */
export function deriveIdPrefix(kind: WorkflowKind, title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toUpperCase()
    .split(/[^A-Z0-9]+/);
  const word = words.map((each) => each.replace(/[^A-Z]/g, "")).find((each) => each.length >= 2);
  return FIXED_ID_PREFIXES[kind] ?? word?.slice(0, MAX_ID_PREFIX) ?? "FEAT";
}

/** The number after the last one ever assigned, because commits and tests may still contain an older id. */
export function computeNextWorkflowId(prefix: string, taken: Iterable<string>, lastGiven: number): WorkflowId {
  const numbers = [...taken].filter((id) => isWorkflowId(id) && id.startsWith(`${prefix}-`));
  const highest = Math.max(lastGiven, ...numbers.map((id) => Number(id.slice(prefix.length + 1))));
  return parseWorkflowId(`${prefix}-${String(highest + 1).padStart(3, "0")}`);
}

export const formatIdCounter = (prefix: string): string => `spec ${prefix}`;

export const parseWorkflowNumber = (id: WorkflowId): number => Number(id.slice(id.lastIndexOf("-") + 1));
export const parseWorkflowPrefix = (id: WorkflowId): string => id.slice(0, id.lastIndexOf("-"));
