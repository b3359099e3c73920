import { Fault } from "#kernel/model/fault.ts";
import { createFlowState, transitionRecord } from "#kernel/model/flow/flow-engine.ts";
import type { ProjectMode, ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { PROJECT_FLOW, PROJECT_STAGE_CALLS, CLARITY_DIMENSION_NAMES } from "#kernel/model/stages/project-stages.ts";
import type { ProjectRecord, ClarityRound } from "./project-record.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { isUnclearDimension, calculateClarityScore, CLARITY_THRESHOLDS } from "./clarity-gate.ts";
import { isMilderVerdict } from "./design-coverage.ts";

const PROJECT_FLOW_HELP = { name: "The project", help: { operation: "project.context" } };

/** Starts after init: the name completes that stage. */
export function beginProject(
  { name, description, mode }: { readonly name: string; readonly description: string; readonly mode: ProjectMode },
  at: string,
): ProjectRecord {
  const state = { ...createFlowState(PROJECT_FLOW, at), updated_at: at };
  const [opened] = transitionRecord(PROJECT_FLOW_HELP, state, { kind: "end-stage", at });
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
    schema: 1,
    rev: 1,
  };
}

export function requireOpenProjectStage(record: ProjectRecord, stage: ProjectDocumentStage): void {
  const isActive = record.status === "active";
  if (isActive && record.current_stage === stage) return;
  const names = record.stages.map(({ name }) => name);
  const isEarlier = !isActive || names.indexOf(stage) < names.indexOf(record.current_stage);
  const open = record.current_stage as ProjectDocumentStage;
  throw new Fault("project.other-stage", {
    what: `Stage ${stage} of ${record.name} is not open.`,
    why: isActive ? `Stage ${open} is.` : `The project is ${record.status}.`,
    fix: [
      ...(isActive ? [PROJECT_STAGE_CALLS[open]] : []),
      ...(isEarlier ? [{ operation: "project.reopen", input: { stage, reason: "…" } }] : []),
    ],
  });
}

export const endProjectStage = (record: ProjectRecord, at: string) =>
  transitionRecord(PROJECT_FLOW_HELP, record, { kind: "end-stage", at });

export function reopenProjectStage(record: ProjectRecord, stage: ProjectDocumentStage, reason: string, at: string) {
  const [reopened, effects] = transitionRecord(PROJECT_FLOW_HELP, record, { kind: "reopen", stage, reason, at });
  return [{ ...reopened, reopenings: [...record.reopenings, { stage, reason, at }] }, effects] as const;
}

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
  const problems: Problem[] = [];
  if (isDone("clarify") && !isGateEarned)
    problems.push({ problem: "Stage clarify is completed, but no round passed the Clarity Gate." });
  if (isDone("validate") && !isVerdictEarned)
    problems.push({ problem: "Stage validate is completed, but it has no verdict." });
  return problems;
}

const isRoundPassed = ({ passed, score, dimensions }: ClarityRound, threshold: number): boolean =>
  passed &&
  score >= threshold &&
  score === calculateClarityScore(dimensions) &&
  CLARITY_DIMENSION_NAMES.join() === dimensions.map(({ dimension }) => dimension).join() &&
  dimensions.every((each) => !isUnclearDimension(each) && (each.counted === 0 || each.found_in !== undefined));
