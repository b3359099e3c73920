import { type ContextCheck, isContextCheck } from "../context/context-check-record.ts";
import type { FlowState } from "#kernel/model/flow/flow-engine.ts";
import type { SpecDelta } from "../living-spec/item-outline.ts";
import {
  type MergeOutcome,
  REQUIREMENT_PRIORITIES,
  DELTA_OPS,
  MERGE_OUTCOMES,
} from "../living-spec/delta-vocabulary.ts";
import {
  type ChangeSize,
  type ChangeType,
  type ChangeId,
  CHANGE_SIZES,
  CHANGE_STAGES,
  CHANGE_TYPES,
  isChangeId,
} from "#kernel/model/stages/change-stages.ts";
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
} from "#kernel/model/flow/record-shape.ts";

interface ChangeAbandonment {
  readonly reason: string;
  readonly at: string;
}

interface ChangeReopening {
  readonly stage: string;
  readonly reason: string;
  readonly at: string;
  readonly abandoned?: ChangeAbandonment;
}

/** A size decision with the measurements of that moment. Equal `from` and `to` mean the size was kept. */
export interface ChangeSizeDecision {
  readonly from: ChangeSize;
  readonly to: ChangeSize;
  readonly reason: string;
  readonly at: string;
  readonly files?: number;
  readonly lines?: number;
  readonly requirements?: number;
}

/** The content of `change.json`. The stages are fixed when the change begins; only a resize changes them. */
export interface ChangeRecord extends FlowState {
  readonly id: ChangeId;
  readonly type: ChangeType;
  readonly size: ChangeSize;
  readonly description: string;
  readonly adrs: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly base_commit?: string;
  readonly sizings?: readonly ChangeSizeDecision[];
  readonly reopenings?: readonly ChangeReopening[];
  readonly abandoned?: ChangeAbandonment;
  /** Edits of the spec to requirements and rules, each with the text it was written against. */
  readonly deltas?: readonly SpecDelta[];
  readonly merged?: readonly { readonly id: string; readonly how: MergeOutcome }[];
  /** The latest check. The context-check stage ends only while it still holds. */
  readonly context_check?: ContextCheck;
  readonly schema: 1;
  readonly rev: number;
}

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
