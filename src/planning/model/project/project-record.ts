import type { FlowState } from "#kernel/model/flow/flow-engine.ts";
import type { AssessedDimension } from "./clarity-gate.ts";
import {
  type ProjectVerdict,
  type ProjectMode,
  CLARITY_DIMENSION_NAMES,
  PROJECT_VERDICTS,
  PROJECT_MODES,
  PROJECT_STAGES,
} from "#kernel/model/stages/project-stages.ts";
import {
  findInvalidField,
  listFlowFields,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isStageReopening,
  isBoundedText,
  isTimestamp,
} from "#kernel/model/flow/record-shape.ts";

export interface ClarityRound {
  readonly at: string;
  readonly answers?: string;
  readonly dimensions: readonly AssessedDimension[];
  readonly score: number;
  readonly threshold: number;
  readonly passed: boolean;
}

/** The given verdict, the verdict derived from the documents, and the reason for a difference. */
export interface ProjectValidation {
  readonly at: string;
  readonly verdict: ProjectVerdict;
  readonly facts: ProjectVerdict;
  readonly override?: string;
}

export interface ProjectRecord extends FlowState {
  readonly name: string;
  readonly description: string;
  readonly mode: ProjectMode;
  /** Every requirement and rule id ever assigned. Ids are never reused. */
  readonly ids: readonly string[];
  readonly rounds: readonly ClarityRound[];
  readonly validations: readonly ProjectValidation[];
  readonly reopenings: readonly { readonly stage: string; readonly reason: string; readonly at: string }[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly schema: 1;
  readonly rev: number;
}

const MAX_PROJECT_NAME_LENGTH = 400;
const MAX_PROJECT_TEXT_LENGTH = 4_000;
const MAX_CLARITY_ANSWERS_LENGTH = 524_288;

/** Returns the first invalid field. Ignores unknown fields. */
export function findProjectRecordProblem(value: unknown): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  return findInvalidField([
    ["name", () => isBoundedText(value["name"], MAX_PROJECT_NAME_LENGTH)],
    ["description", () => isBoundedText(value["description"], MAX_PROJECT_TEXT_LENGTH)],
    ["mode", () => isAllowedValue(PROJECT_MODES, value["mode"])],
    ...listFlowFields(value, PROJECT_STAGES),
    ["ids", () => isArrayMatching(value["ids"], (id) => typeof id === "string" && /^(?:N?FR|BR)-\d{3,5}$/.test(id))],
    ["rounds", () => isArrayMatching(value["rounds"], isClarityRound)],
    ["validations", () => isArrayMatching(value["validations"], isProjectValidation)],
    ["reopenings", () => isArrayMatching(value["reopenings"], isStageReopening)],
    ["created_at", () => isTimestamp(value["created_at"])],
    ["updated_at", () => isTimestamp(value["updated_at"])],
  ]);
}

/** Call only after `findProjectRecordProblem` found nothing. */
export const asProjectRecord = (value: unknown): ProjectRecord => value as ProjectRecord;

function isClarityRound(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { at, answers, dimensions, score, threshold, passed } = value;
  return (
    isTimestamp(at) &&
    (answers === undefined || isBoundedText(answers, MAX_CLARITY_ANSWERS_LENGTH)) &&
    isArrayMatching(dimensions, isAssessedDimension) &&
    isWholePercentage(score) &&
    isWholePercentage(threshold) &&
    typeof passed === "boolean"
  );
}

function isAssessedDimension(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { dimension, score, counted, evidence, waiver, found_in } = value;
  return (
    isAllowedValue(CLARITY_DIMENSION_NAMES, dimension) &&
    isWholePercentage(score) &&
    isWholePercentage(counted) &&
    [evidence, waiver, found_in].every((text) => text === undefined || isBoundedText(text, MAX_PROJECT_TEXT_LENGTH))
  );
}

function isProjectValidation(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { at, verdict, facts, override } = value;
  return (
    isTimestamp(at) &&
    isAllowedValue(PROJECT_VERDICTS, verdict) &&
    isAllowedValue(PROJECT_VERDICTS, facts) &&
    (override === undefined || isBoundedText(override, MAX_PROJECT_TEXT_LENGTH))
  );
}

const isWholePercentage = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100;
