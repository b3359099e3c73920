import { type OperationCall, Fault } from "#kernel/model/fault.ts";
import {
  createFlowState,
  type RunningFlow,
  type FlowEffect,
  type FlowEvent,
  isAtLastStage,
  transitionFlow,
} from "#kernel/model/flow/flow-engine.ts";
import {
  PROJECT_FLOW,
  PROJECT_STAGE_CALLS,
  type ProjectMode,
  type ProjectDocumentStage,
  CLARITY_DIMENSION_NAMES,
} from "#kernel/model/stages/project-stages.ts";
import type { ProjectRecord, ClarityRound } from "./project-record.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { isUnclearDimension, calculateClarityScore, CLARITY_THRESHOLDS } from "./clarity-gate.ts";
import { isMilderVerdict } from "./design-coverage.ts";

export type ProjectTransition = readonly [record: ProjectRecord, effects: readonly FlowEffect[]];

const PROJECT_HELP_CALL: OperationCall = { operation: "project.context" };

/** Starts after init: the name completes that stage. */
export function beginProject(
  { name, description, mode }: { readonly name: string; readonly description: string; readonly mode: ProjectMode },
  at: string,
): ProjectRecord {
  const [opened] = transitionFlow(buildProjectFlow(PROJECT_FLOW), createFlowState(PROJECT_FLOW, at), {
    kind: "advance",
    at,
  });
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

export function requireOpenProjectStage(record: ProjectRecord, stage: ProjectDocumentStage): void {
  if (record.status === "active" && record.current_stage === stage) return;
  const isLater = isStageBefore(record, stage, record.current_stage) || record.status !== "active";
  const open = record.current_stage as ProjectDocumentStage;
  throw new Fault("project.other-stage", {
    what: `Stage ${stage} of ${record.name} is not open.`,
    why: record.status === "active" ? `Stage ${open} is.` : `The project is ${record.status}.`,
    fix: [
      ...(record.status === "active" ? [PROJECT_STAGE_CALLS[open]] : []),
      ...(isLater ? [{ operation: "project.reopen", input: { stage, reason: "…" } }] : []),
    ],
  });
}

export function endProjectStage(record: ProjectRecord, at: string): ProjectTransition {
  return transitionProject(record, { kind: isAtLastStage(record) ? "complete" : "advance", at });
}

export function reopenProjectStage(
  record: ProjectRecord,
  stage: ProjectDocumentStage,
  reason: string,
  at: string,
): ProjectTransition {
  const [reopened, effects] = transitionProject(record, { kind: "reopen", stage, reason, at });
  return [{ ...reopened, reopenings: [...record.reopenings, { stage, reason, at }] }, effects];
}

/** Whether the open stage has a document that a reopening made stale. */
export const isOpenStageStale = (record: ProjectRecord): boolean =>
  record.stages.some((stage) => stage.name === record.current_stage && stage.stale_because !== undefined);

function isStageBefore(record: ProjectRecord, stage: string, other: string): boolean {
  const names = record.stages.map(({ name }) => name);
  return names.indexOf(stage) < names.indexOf(other);
}

function transitionProject(record: ProjectRecord, event: FlowEvent): ProjectTransition {
  const [state, effects] = transitionFlow(
    buildProjectFlow({ stages: record.stages.map(({ name }) => ({ name })) }),
    record,
    event,
  );
  return [{ ...record, ...state, updated_at: event.at, rev: record.rev + 1 }, effects];
}

const buildProjectFlow = (flow: { readonly stages: RunningFlow["stages"] }): RunningFlow => ({
  name: "The project",
  help: PROJECT_HELP_CALL,
  stages: flow.stages,
});

/** Detects records edited by hand: a stage is marked completed without a passed gate or verdict. */
export function findUnearnedStages(record: ProjectRecord): Problem[] {
  const isDone = (name: string): boolean =>
    record.stages.some((stage) => stage.name === name && stage.status === "completed");
  const round = record.rounds.at(-1);
  const validation = record.validations.at(-1);
  const isGateEarned = round !== undefined && isRoundPassed(round, CLARITY_THRESHOLDS[record.mode]);
  const isVerdictEarned =
    validation !== undefined &&
    validation.verdict !== "FAIL" &&
    (!isMilderVerdict(validation.verdict, validation.facts) || validation.override !== undefined);
  return [
    ...(isDone("clarify") && !isGateEarned
      ? [{ problem: "Stage clarify is completed, but no round passes the Clarity Gate." }]
      : []),
    ...(isDone("validate") && !isVerdictEarned
      ? [{ problem: "Stage validate is completed, but no verdict ends it." }]
      : []),
  ];
}

function isRoundPassed({ passed, score, dimensions }: ClarityRound, threshold: number): boolean {
  return (
    passed &&
    score >= threshold &&
    score === calculateClarityScore(dimensions) &&
    CLARITY_DIMENSION_NAMES.join() === dimensions.map(({ dimension }) => dimension).join() &&
    dimensions.every((each) => !isUnclearDimension(each) && (each.counted === 0 || each.found_in !== undefined))
  );
}
