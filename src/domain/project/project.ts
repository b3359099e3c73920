import { type Call, Fault } from "../fault.ts";
import { openFlow, type RunningFlow } from "../flow/flow.ts";
import { type FlowEffect, type FlowEvent, isAtLastStage, transition } from "../flow/transition.ts";
import { PROJECT_FLOW, STAGE_CALLS, type Mode, type WrittenStage } from "./flow.ts";
import type { ProjectRecord } from "./record.ts";

export type ProjectStep = readonly [record: ProjectRecord, effects: readonly FlowEffect[]];

const SHOW: Call = { operation: "project.context" };

/** Starts after init: the name completes that stage. */
export function beginProject(
  { name, description, mode }: { readonly name: string; readonly description: string; readonly mode: Mode },
  at: string,
): ProjectRecord {
  const [opened] = transition(running(PROJECT_FLOW), openFlow(PROJECT_FLOW, at), { kind: "advance", at });
  return {
    name: name.trim().replace(/\s+/g, " "),
    description: description.trim(),
    mode,
    ...opened,
    ids: [],
    rounds: [],
    validations: [],
    reopenings: [],
    created_at: at,
    updated_at: at,
    schema: 1,
    rev: 1,
  };
}

export function requireStage(record: ProjectRecord, stage: WrittenStage): void {
  if (record.status === "active" && record.current_stage === stage) return;
  const isLater = isBefore(record, stage, record.current_stage) || record.status !== "active";
  const open = record.current_stage as WrittenStage;
  throw new Fault("project.other-stage", {
    what: `Stage ${stage} of ${record.name} is not open.`,
    why: record.status === "active" ? `Stage ${open} is.` : `The project is ${record.status}.`,
    fix: [
      ...(record.status === "active" ? [STAGE_CALLS[open]] : []),
      ...(isLater ? [{ operation: "project.reopen", input: { stage, reason: "…" } }] : []),
    ],
  });
}

export function endStage(record: ProjectRecord, at: string): ProjectStep {
  return move(record, { kind: isAtLastStage(record) ? "complete" : "advance", at });
}

export function reopenStage(record: ProjectRecord, stage: WrittenStage, reason: string, at: string): ProjectStep {
  const [reopened, effects] = move(record, { kind: "reopen", stage, reason, at });
  return [{ ...reopened, reopenings: [...record.reopenings, { stage, reason, at }] }, effects];
}

/** Whether the open stage has a document that a reopening made stale. */
export const isStale = (record: ProjectRecord): boolean =>
  record.stages.some((stage) => stage.name === record.current_stage && stage.stale_because !== undefined);

function isBefore(record: ProjectRecord, stage: string, other: string): boolean {
  const names = record.stages.map(({ name }) => name);
  return names.indexOf(stage) < names.indexOf(other);
}

function move(record: ProjectRecord, event: FlowEvent): ProjectStep {
  const [state, effects] = transition(running({ stages: record.stages.map(({ name }) => ({ name })) }), record, event);
  return [{ ...record, ...state, updated_at: event.at, rev: record.rev + 1 }, effects];
}

const running = (flow: { readonly stages: RunningFlow["stages"] }): RunningFlow => ({
  name: "The project",
  help: SHOW,
  stages: flow.stages,
});
