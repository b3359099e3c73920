import {
  findInvalidField,
  type RecordField,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isBoundedText,
  isTimestamp,
} from "#kernel/model/flow/record-shape.ts";
import { isBatchId, REVIEW_DISPOSITIONS, REVIEW_VERDICTS } from "../review/review-finding.ts";
import type { WaveRecord } from "../lead/lead-state.ts";
import { isClaimablePath } from "./claimed-path.ts";
import { isFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  BLOCK_REASONS,
  type FeatureRecord,
  FIX_SOURCES,
  LAST_PHASE_ACTIONS,
  FEATURE_PHASES,
} from "./feature-record.ts";

const MAX_FEATURE_DESCRIPTION = 4_000;
/** Agents write it. Invisible characters are stored as codes, which makes it longer. */
const MAX_RECORD_DETAIL = 20_000;
const MAX_RECORD_LINE = 400;
const FEATURE_VERSION_PATTERN = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

/** The first invalid field of a feature record. Unknown fields are ignored. */
export function findFeatureRecordProblem(value: unknown, folder: string): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  const fields: RecordField[] = [
    ["feature_name", () => isFeatureNameValue(value["feature_name"]) && value["feature_name"] === folder],
    ["description", () => isBoundedText(value["description"], MAX_FEATURE_DESCRIPTION)],
    ["created_at", () => isTimestamp(value["created_at"])],
    ["updated_at", () => isTimestamp(value["updated_at"])],
    ["language", () => isShortText(value["language"])],
    ["version", () => isFeatureVersion(value["version"])],
    ["changelog", () => isArrayMatching(value["changelog"], isChangelogEntry)],
    ["version_refs", () => isReferencePair(value["version_refs"], isFeatureVersion)],
    ["phase", () => isAllowedValue(FEATURE_PHASES, value["phase"])],
    ["design", () => isNullOrValid(value["design"], isAcceptedDesign)],
    [
      "design",
      () => value["design"] !== null || !["design-generated", COMPLETE_PHASE].includes(String(value["phase"])),
    ],
    ["implementation", () => isImplementationRecord(value["implementation"])],
    ["orchestration", () => isOrchestrationRecord(value["orchestration"])],
    ["blocked_info", () => isNullOrValid(value["blocked_info"], isFeatureBlock)],
    ["blocked_info", () => (value["blocked_info"] !== null) === (value["phase"] === "blocked")],
    ["roadmap", () => isNullOrValid(value["roadmap"], isRoadmapPlacement)],
    ["reviews", () => isReferencePair(value["reviews"], isReviewReference)],
    ["fix", () => isNullOrValid(value["fix"], isPendingFix)],
  ];
  return findInvalidField(fields);
}

/** Call only after `findFeatureRecordProblem` found nothing. */
export const trustFeatureRecord = (value: unknown): FeatureRecord => value as FeatureRecord;

const WAVE_STEPS = ["cross-check", "dead-code", "commit", "done", "aborted"] as const satisfies WaveRecord["step"][];
const WAVE_GATES = ["cross-check", "dead-code"] as const satisfies WaveRecord["proceeded"];

export function findWaveRecordProblem(value: unknown, wave: number): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  return findInvalidField([
    ["wave", () => isPositiveRecordCount(value["wave"]) && value["wave"] === wave],
    ["step", () => isAllowedValue(WAVE_STEPS, value["step"])],
    [
      "tries",
      () => isPlainObject(value["tries"]) && ["cross_check", "dead_code"].every(createCountCheck(value["tries"])),
    ],
    ["cross_check", () => isNullOrValid(value["cross_check"], isReviewReference)],
    ["dead_code", () => isNullOrValid(value["dead_code"], isReviewReference)],
    ["proceeded", () => isArrayMatching(value["proceeded"], (gate) => isAllowedValue(WAVE_GATES, gate))],
    ["runs", () => areCountValues(value["runs"])],
  ]);
}

/** Call only after `findWaveRecordProblem` found nothing. */
export const trustWaveRecord = (value: unknown): WaveRecord => value as WaveRecord;

const COMPLETE_PHASE = "implementation-complete";

const isNullOrValid = (value: unknown, holds: (value: unknown) => boolean): boolean => value === null || holds(value);
const isAbsentOrValid = (value: unknown, holds: (value: unknown) => boolean): boolean =>
  value === undefined || holds(value);
const isBooleanValue = (value: unknown): boolean => typeof value === "boolean";
const isFeatureNameValue = (value: unknown): boolean => typeof value === "string" && isFeatureName(value);
const isShortText = (value: unknown): boolean => isBoundedText(value, 100) && value !== "";
const isFeatureVersion = (value: unknown): boolean => typeof value === "string" && FEATURE_VERSION_PATTERN.test(value);
const isCountValue = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isPositiveRecordCount = (value: unknown): boolean => isCountValue(value) && value !== 0;
const createCountCheck =
  (value: Readonly<Record<string, unknown>>) =>
  (name: string): boolean =>
    isCountValue(value[name]);
const areCountValues = (value: unknown): boolean => isPlainObject(value) && Object.values(value).every(isCountValue);
const areShortTexts = (value: unknown): boolean => isArrayMatching(value, isShortText);
const areClaimablePaths = (value: unknown): boolean => isArrayMatching(value, isClaimablePath);

const isReferencePair = (value: unknown, holds: (value: unknown) => boolean): boolean =>
  isPlainObject(value) && ["design", "implementation"].every((name) => isNullOrValid(value[name], holds));

const isChangelogEntry = (value: unknown): boolean =>
  isPlainObject(value) &&
  isFeatureVersion(value["version"]) &&
  isShortText(value["action"]) &&
  isTimestamp(value["at"]);

const isAcceptedDesign = (value: unknown): boolean =>
  isPlainObject(value) &&
  isShortText(value["hash"]) &&
  areClaimablePaths(value["files"]) &&
  isPlainObject(value["basis"]) &&
  Object.entries(value["basis"]).every(([name, hash]) => isFeatureNameValue(name) && isShortText(hash));

function isImplementationRecord(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { files_created, files_removed, tasks_hash, groups, hash, excluded } = value;
  return (
    areClaimablePaths(files_created) &&
    isAbsentOrValid(files_removed, areClaimablePaths) &&
    isNullOrValid(tasks_hash, isShortText) &&
    isArrayMatching(groups, isTaskGroupRecord) &&
    isNullOrValid(hash, isShortText) &&
    areClaimablePaths(excluded)
  );
}

const isTaskGroupRecord = (value: unknown): boolean =>
  isPlainObject(value) &&
  isShortText(value["id"]) &&
  isPositiveRecordCount(value["wave"]) &&
  areShortTexts(value["tasks"]) &&
  areClaimablePaths(value["files"]) &&
  areShortTexts(value["depends"]) &&
  isAbsentOrValid(value["optional"], areShortTexts) &&
  isAllowedValue(["pending", "done"], value["status"]);

const isOrchestrationRecord = (value: unknown): boolean =>
  isPlainObject(value) &&
  ["retry_count", "spec_update_count", "total_count"].every(createCountCheck(value)) &&
  isNullOrValid(value["last_phase_action"], (action) => isAllowedValue(LAST_PHASE_ACTIONS, action)) &&
  areCountValues(value["runs"]) &&
  areCountValues(value["lost"]);

const isFeatureBlock = (value: unknown): boolean =>
  isPlainObject(value) &&
  isArrayMatching(value["blocked_by"], isFeatureNameValue) &&
  isAllowedValue(BLOCK_REASONS, value["reason"]) &&
  isAllowedValue(FEATURE_PHASES, value["blocked_at_phase"]) &&
  value["blocked_at_phase"] !== "blocked" &&
  isBoundedText(value["detail"], MAX_RECORD_DETAIL) &&
  typeof value["is_skipped"] === "boolean";

const isRoadmapPlacement = (value: unknown): boolean =>
  isPlainObject(value) &&
  isPositiveRecordCount(value["wave"]) &&
  isArrayMatching(value["dependencies"], isFeatureNameValue) &&
  isArrayMatching(value["skipped"], isFeatureNameValue) &&
  isAbsentOrValid(value["foundation"], isBooleanValue);

const isReviewReference = (value: unknown): boolean =>
  isPlainObject(value) &&
  isBatchId(value["batch"]) &&
  isAllowedValue(REVIEW_VERDICTS, value["verdict"]) &&
  isAllowedValue(REVIEW_DISPOSITIONS, value["disposition"]) &&
  isShortText(value["of"]) &&
  isCountValue(value["proposals"]) &&
  isAbsentOrValid(value["waiting"], (lines) => isArrayMatching(lines, isSteeringProposal));

const isSteeringProposal = (value: unknown): boolean =>
  isPlainObject(value) &&
  isBatchId(value["batch"]) &&
  isPositiveRecordCount(value["line"]) &&
  isBoundedText(value["file"], MAX_RECORD_LINE) &&
  isBoundedText(value["text"], MAX_RECORD_DETAIL);

const isPendingFix = (value: unknown): boolean =>
  isPlainObject(value) &&
  isAllowedValue(FIX_SOURCES, value["source"]) &&
  isNullOrValid(value["batch"], (batch) => isBoundedText(batch, MAX_RECORD_LINE)) &&
  isBoundedText(value["detail"], MAX_RECORD_DETAIL) &&
  areShortTexts(value["groups"]) &&
  isAbsentOrValid(value["tasks"], areShortTexts) &&
  isAbsentOrValid(value["isStructural"], isBooleanValue);
