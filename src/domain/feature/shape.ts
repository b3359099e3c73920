import {
  findInvalidField,
  type RecordField,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isBoundedText,
  isTimestamp,
} from "../flow/shape.ts";
import { isBatch } from "../review/batch-number.ts";
import { DISPOSITIONS, REVIEW_VERDICTS } from "../review/finding.ts";
import type { WaveRecord } from "../roadmap/lead/state.ts";
import { isFilePath } from "./file-path.ts";
import { isFeatureName } from "./name.ts";
import { BLOCK_REASONS, type FeatureRecord, FIX_SOURCES, LAST_ACTIONS, PHASES } from "./record.ts";

const LONGEST_DESCRIPTION = 4_000;
/** Agents write it. Invisible characters are stored as codes, which makes it longer. */
const LONGEST_DETAIL = 20_000;
const LONGEST_LINE = 400;
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

/** The first invalid field of a feature record. Unknown fields are ignored. */
export function featureRecordProblem(value: unknown, folder: string): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  const fields: RecordField[] = [
    ["feature_name", () => isName(value["feature_name"]) && value["feature_name"] === folder],
    ["description", () => isBoundedText(value["description"], LONGEST_DESCRIPTION)],
    ["created_at", () => isTimestamp(value["created_at"])],
    ["updated_at", () => isTimestamp(value["updated_at"])],
    ["language", () => isWord(value["language"])],
    ["version", () => isVersion(value["version"])],
    ["changelog", () => isArrayMatching(value["changelog"], isChanged)],
    ["version_refs", () => areRefs(value["version_refs"], isVersion)],
    ["phase", () => isAllowedValue(PHASES, value["phase"])],
    ["design", () => isNullOr(value["design"], isDesign)],
    ["design", () => value["design"] !== null || !["design-generated", DONE].includes(String(value["phase"]))],
    ["implementation", () => isImplementation(value["implementation"])],
    ["orchestration", () => isOrchestration(value["orchestration"])],
    ["blocked_info", () => isNullOr(value["blocked_info"], isBlockedInfo)],
    ["blocked_info", () => (value["blocked_info"] !== null) === (value["phase"] === "blocked")],
    ["roadmap", () => isNullOr(value["roadmap"], isPlaced)],
    ["reviews", () => areRefs(value["reviews"], isReviewRef)],
    ["fix", () => isNullOr(value["fix"], isFix)],
  ];
  return findInvalidField(fields);
}

/** Call only after `findFeatureRecordProblem` found nothing. */
export const asFeatureRecord = (value: unknown): FeatureRecord => value as FeatureRecord;

const STEPS = ["cross-check", "dead-code", "commit", "done", "aborted"] as const satisfies WaveRecord["step"][];
const GATES = ["cross-check", "dead-code"] as const satisfies WaveRecord["proceeded"];

export function waveRecordProblem(value: unknown, wave: number): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  return findInvalidField([
    ["wave", () => isNumber(value["wave"]) && value["wave"] === wave],
    ["step", () => isAllowedValue(STEPS, value["step"])],
    ["tries", () => isPlainObject(value["tries"]) && ["cross_check", "dead_code"].every(countIn(value["tries"]))],
    ["cross_check", () => isNullOr(value["cross_check"], isReviewRef)],
    ["dead_code", () => isNullOr(value["dead_code"], isReviewRef)],
    ["proceeded", () => isArrayMatching(value["proceeded"], (gate) => isAllowedValue(GATES, gate))],
    ["runs", () => areCounts(value["runs"])],
  ]);
}

/** Call only after `findWaveRecordProblem` found nothing. */
export const asWaveRecord = (value: unknown): WaveRecord => value as WaveRecord;

const DONE = "implementation-complete";

const isNullOr = (value: unknown, holds: (value: unknown) => boolean): boolean => value === null || holds(value);
const isAbsentOr = (value: unknown, holds: (value: unknown) => boolean): boolean => value === undefined || holds(value);
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isName = (value: unknown): boolean => typeof value === "string" && isFeatureName(value);
const isWord = (value: unknown): boolean => isBoundedText(value, 100) && value !== "";
const isVersion = (value: unknown): boolean => typeof value === "string" && VERSION.test(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => isCount(value) && value !== 0;
const countIn =
  (value: Readonly<Record<string, unknown>>) =>
  (name: string): boolean =>
    isCount(value[name]);
const areCounts = (value: unknown): boolean => isPlainObject(value) && Object.values(value).every(isCount);
const areWords = (value: unknown): boolean => isArrayMatching(value, isWord);
const areFiles = (value: unknown): boolean => isArrayMatching(value, isFilePath);

const areRefs = (value: unknown, holds: (value: unknown) => boolean): boolean =>
  isPlainObject(value) && ["design", "implementation"].every((name) => isNullOr(value[name], holds));

const isChanged = (value: unknown): boolean =>
  isPlainObject(value) && isVersion(value["version"]) && isWord(value["action"]) && isTimestamp(value["at"]);

const isDesign = (value: unknown): boolean =>
  isPlainObject(value) &&
  isWord(value["hash"]) &&
  areFiles(value["files"]) &&
  isPlainObject(value["basis"]) &&
  Object.entries(value["basis"]).every(([name, hash]) => isName(name) && isWord(hash));

function isImplementation(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { files_created, files_removed, tasks_hash, groups, hash, excluded } = value;
  return (
    areFiles(files_created) &&
    isAbsentOr(files_removed, areFiles) &&
    isNullOr(tasks_hash, isWord) &&
    isArrayMatching(groups, isGroup) &&
    isNullOr(hash, isWord) &&
    areFiles(excluded)
  );
}

const isGroup = (value: unknown): boolean =>
  isPlainObject(value) &&
  isWord(value["id"]) &&
  isNumber(value["wave"]) &&
  areWords(value["tasks"]) &&
  areFiles(value["files"]) &&
  areWords(value["depends"]) &&
  isAbsentOr(value["optional"], areWords) &&
  isAllowedValue(["pending", "done"], value["status"]);

const isOrchestration = (value: unknown): boolean =>
  isPlainObject(value) &&
  ["retry_count", "spec_update_count", "total_count"].every(countIn(value)) &&
  isNullOr(value["last_phase_action"], (action) => isAllowedValue(LAST_ACTIONS, action)) &&
  areCounts(value["runs"]) &&
  areCounts(value["lost"]);

const isBlockedInfo = (value: unknown): boolean =>
  isPlainObject(value) &&
  isArrayMatching(value["blocked_by"], isName) &&
  isAllowedValue(BLOCK_REASONS, value["reason"]) &&
  isAllowedValue(PHASES, value["blocked_at_phase"]) &&
  value["blocked_at_phase"] !== "blocked" &&
  isBoundedText(value["detail"], LONGEST_DETAIL) &&
  typeof value["is_skipped"] === "boolean";

const isPlaced = (value: unknown): boolean =>
  isPlainObject(value) &&
  isNumber(value["wave"]) &&
  isArrayMatching(value["dependencies"], isName) &&
  isArrayMatching(value["skipped"], isName) &&
  isAbsentOr(value["foundation"], isFlag);

const isReviewRef = (value: unknown): boolean =>
  isPlainObject(value) &&
  isBatch(value["batch"]) &&
  isAllowedValue(REVIEW_VERDICTS, value["verdict"]) &&
  isAllowedValue(DISPOSITIONS, value["disposition"]) &&
  isWord(value["of"]) &&
  isCount(value["proposals"]) &&
  isAbsentOr(value["waiting"], (lines) => isArrayMatching(lines, isProposal));

const isProposal = (value: unknown): boolean =>
  isPlainObject(value) &&
  isBatch(value["batch"]) &&
  isNumber(value["line"]) &&
  isBoundedText(value["file"], LONGEST_LINE) &&
  isBoundedText(value["text"], LONGEST_DETAIL);

const isFix = (value: unknown): boolean =>
  isPlainObject(value) &&
  isAllowedValue(FIX_SOURCES, value["source"]) &&
  isNullOr(value["batch"], (batch) => isBoundedText(batch, LONGEST_LINE)) &&
  isBoundedText(value["detail"], LONGEST_DETAIL) &&
  areWords(value["groups"]) &&
  isAbsentOr(value["tasks"], areWords) &&
  isAbsentOr(value["isStructural"], isFlag);
