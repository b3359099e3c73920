import { isContextCheck } from "../context/fact.ts";
import {
  findInvalidField,
  type RecordField,
  listFlowFields,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isTimedReason,
  isStageReopening,
  isBoundedText,
  isTimestamp,
} from "../flow/shape.ts";
import { REQUIREMENT_PRIORITIES, DELTA_OPS, MERGE_OUTCOMES } from "../spec/vocabulary.ts";
import { CHANGE_SIZES, CHANGE_STAGES, CHANGE_TYPES } from "./flows.ts";
import { isChangeId } from "./id.ts";
import type { ChangeRecord } from "./record.ts";

const SPEC_ID_PATTERN = /^(?:N?FR|BR)-\d{3,5}$/;
const MAX_CHANGE_DESCRIPTION_LENGTH = 4_000;

/** Returns the first invalid field. Ignores unknown fields. */
export function findChangeRecordProblem(value: unknown, folder: string): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  const fields: RecordField[] = [
    ["id", () => typeof value["id"] === "string" && isChangeId(value["id"]) && value["id"] === folder],
    ["type", () => isAllowedValue(CHANGE_TYPES, value["type"])],
    ["size", () => isAllowedValue(CHANGE_SIZES, value["size"])],
    ["description", () => isBoundedText(value["description"], MAX_CHANGE_DESCRIPTION_LENGTH)],
    ...listFlowFields(value, CHANGE_STAGES),
    ["adrs", () => isArrayMatching(value["adrs"], (id) => typeof id === "string" && /^ADR-\d{3,5}$/.test(id))],
    ["created_at", () => isTimestamp(value["created_at"])],
    ["updated_at", () => isTimestamp(value["updated_at"])],
    ["base_commit", () => value["base_commit"] === undefined || isCommitHash(value["base_commit"])],
    ["sizings", () => value["sizings"] === undefined || isArrayMatching(value["sizings"], isChangeSizeDecision)],
    ["deltas", () => value["deltas"] === undefined || isArrayMatching(value["deltas"], isStoredDelta)],
    ["merged", () => value["merged"] === undefined || isArrayMatching(value["merged"], isMergedDelta)],
    ["context_check", () => value["context_check"] === undefined || isContextCheck(value["context_check"])],
    ["reopenings", () => value["reopenings"] === undefined || isArrayMatching(value["reopenings"], isChangeReopening)],
    ["abandoned", () => value["abandoned"] === undefined || isTimedReason(value["abandoned"])],
  ];
  return findInvalidField(fields);
}

/** Call only after `findChangeRecordProblem` found nothing. */
export const asChangeRecord = (value: unknown): ChangeRecord => value as ChangeRecord;

function isChangeReopening(value: unknown): boolean {
  return (
    isStageReopening(value) &&
    isPlainObject(value) &&
    (value["abandoned"] === undefined || isTimedReason(value["abandoned"]))
  );
}

function isChangeSizeDecision(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    isAllowedValue(CHANGE_SIZES, value["from"]) &&
    isAllowedValue(CHANGE_SIZES, value["to"]) &&
    isTimedReason(value) &&
    ["files", "lines", "requirements"].every((name) => value[name] === undefined || isNonNegativeInteger(value[name]))
  );
}

const isNonNegativeInteger = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const isCommitHash = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value);

function isStoredDelta(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { op, id, to, priority, base, was, text } = value;
  return (
    isAllowedValue(DELTA_OPS, op) &&
    isRequirementOrRuleId(id) &&
    (op === "renamed" ? isRequirementOrRuleId(to) : to === undefined) &&
    (priority === undefined || isAllowedValue(REQUIREMENT_PRIORITIES, priority)) &&
    typeof base === "string" &&
    /^[0-9a-f]{64}$/.test(base) &&
    typeof was === "string" &&
    typeof text === "string"
  );
}

const isMergedDelta = (value: unknown): boolean =>
  isPlainObject(value) && isRequirementOrRuleId(value["id"]) && isAllowedValue(MERGE_OUTCOMES, value["how"]);

const isRequirementOrRuleId = (value: unknown): boolean => typeof value === "string" && SPEC_ID_PATTERN.test(value);
