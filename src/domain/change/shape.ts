import { isContextCheck } from "../context/fact.ts";
import {
  brokenField,
  type Field,
  flowFields,
  isListOf,
  isObject,
  isOneOf,
  isReason,
  isReopening,
  isText,
  isTime,
} from "../flow/shape.ts";
import { PRIORITIES, DELTA_OPS, OUTCOMES } from "../spec/vocabulary.ts";
import { CHANGE_SIZES, CHANGE_STAGES, CHANGE_TYPES } from "./flows.ts";
import { isChangeId } from "./id.ts";
import type { ChangeRecord } from "./record.ts";

const SPEC_ID = /^(?:N?FR|BR)-\d{3,5}$/;
const LONGEST_DESCRIPTION = 4_000;

/** Returns the first invalid field. Ignores unknown fields. */
export function changeRecordProblem(value: unknown, folder: string): string | undefined {
  if (!isObject(value)) return "it is not an object";
  const fields: Field[] = [
    ["id", () => typeof value["id"] === "string" && isChangeId(value["id"]) && value["id"] === folder],
    ["type", () => isOneOf(CHANGE_TYPES, value["type"])],
    ["size", () => isOneOf(CHANGE_SIZES, value["size"])],
    ["description", () => isText(value["description"], LONGEST_DESCRIPTION)],
    ...flowFields(value, CHANGE_STAGES),
    ["adrs", () => isListOf(value["adrs"], (id) => typeof id === "string" && /^ADR-\d{3,5}$/.test(id))],
    ["created_at", () => isTime(value["created_at"])],
    ["updated_at", () => isTime(value["updated_at"])],
    ["base_commit", () => value["base_commit"] === undefined || isCommit(value["base_commit"])],
    ["sizings", () => value["sizings"] === undefined || isListOf(value["sizings"], isSizing)],
    ["deltas", () => value["deltas"] === undefined || isListOf(value["deltas"], isDelta)],
    ["merged", () => value["merged"] === undefined || isListOf(value["merged"], isMerged)],
    ["context_check", () => value["context_check"] === undefined || isContextCheck(value["context_check"])],
    ["reopenings", () => value["reopenings"] === undefined || isListOf(value["reopenings"], isReopeningOfChange)],
    ["abandoned", () => value["abandoned"] === undefined || isReason(value["abandoned"])],
  ];
  return brokenField(fields);
}

/** Call only after `findChangeRecordProblem` found nothing. */
export const asChangeRecord = (value: unknown): ChangeRecord => value as ChangeRecord;

function isReopeningOfChange(value: unknown): boolean {
  return isReopening(value) && isObject(value) && (value["abandoned"] === undefined || isReason(value["abandoned"]));
}

function isSizing(value: unknown): boolean {
  return (
    isObject(value) &&
    isOneOf(CHANGE_SIZES, value["from"]) &&
    isOneOf(CHANGE_SIZES, value["to"]) &&
    isReason(value) &&
    ["files", "lines", "requirements"].every((name) => value[name] === undefined || isCount(value[name]))
  );
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const isCommit = (value: unknown): boolean => typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value);

function isDelta(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { op, id, to, priority, base, was, text } = value;
  return (
    isOneOf(DELTA_OPS, op) &&
    isSpecId(id) &&
    (op === "renamed" ? isSpecId(to) : to === undefined) &&
    (priority === undefined || isOneOf(PRIORITIES, priority)) &&
    typeof base === "string" &&
    /^[0-9a-f]{64}$/.test(base) &&
    typeof was === "string" &&
    typeof text === "string"
  );
}

const isMerged = (value: unknown): boolean =>
  isObject(value) && isSpecId(value["id"]) && isOneOf(OUTCOMES, value["how"]);

const isSpecId = (value: unknown): boolean => typeof value === "string" && SPEC_ID.test(value);
