import { brokenField, flowFields, isListOf, isObject, isOneOf, isReopening, isText, isTime } from "../flow/shape.ts";
import { DIMENSION_NAMES, VERDICTS } from "./vocabulary.ts";
import { MODES, PROJECT_STAGES } from "./flow.ts";
import type { ProjectRecord } from "./record.ts";

const LONGEST_NAME = 400;
const LONGEST_TEXT = 4_000;
const LONGEST_ANSWERS = 524_288;

/** Returns the first invalid field. Ignores unknown fields. */
export function projectRecordProblem(value: unknown): string | undefined {
  if (!isObject(value)) return "it is not an object";
  return brokenField([
    ["name", () => isText(value["name"], LONGEST_NAME)],
    ["description", () => isText(value["description"], LONGEST_TEXT)],
    ["mode", () => isOneOf(MODES, value["mode"])],
    ...flowFields(value, PROJECT_STAGES),
    ["ids", () => isListOf(value["ids"], (id) => typeof id === "string" && /^(?:N?FR|BR)-\d{3,5}$/.test(id))],
    ["rounds", () => isListOf(value["rounds"], isRound)],
    ["validations", () => isListOf(value["validations"], isValidation)],
    ["reopenings", () => isListOf(value["reopenings"], isReopening)],
    ["created_at", () => isTime(value["created_at"])],
    ["updated_at", () => isTime(value["updated_at"])],
  ]);
}

/** Call only after `findProjectRecordProblem` found nothing. */
export const asProjectRecord = (value: unknown): ProjectRecord => value as ProjectRecord;

function isRound(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { at, answers, dimensions, score, threshold, passed } = value;
  return (
    isTime(at) &&
    (answers === undefined || isText(answers, LONGEST_ANSWERS)) &&
    isListOf(dimensions, isAssessed) &&
    isPercentage(score) &&
    isPercentage(threshold) &&
    typeof passed === "boolean"
  );
}

function isAssessed(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { dimension, score, counted, evidence, waiver, found_in } = value;
  return (
    isOneOf(DIMENSION_NAMES, dimension) &&
    isPercentage(score) &&
    isPercentage(counted) &&
    [evidence, waiver, found_in].every((text) => text === undefined || isText(text, LONGEST_TEXT))
  );
}

function isValidation(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { at, verdict, facts, override } = value;
  return (
    isTime(at) &&
    isOneOf(VERDICTS, verdict) &&
    isOneOf(VERDICTS, facts) &&
    (override === undefined || isText(override, LONGEST_TEXT))
  );
}

const isPercentage = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100;
