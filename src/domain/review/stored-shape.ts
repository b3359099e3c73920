import { isFeatureName } from "../feature/name.ts";
import {
  findInvalidField,
  type RecordField,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isBoundedText,
  isTimestamp,
} from "../flow/shape.ts";
import type { StoredReview } from "../roadmap/lead/event.ts";
import { isBatchId } from "./batch-number.ts";
import { REVIEW_DISPOSITIONS, REVIEW_KINDS, REVIEW_VERDICTS, FINDING_SEVERITIES } from "./finding.ts";

const MAX_STORED_TEXT = 10_000;
const MAX_STORED_ITEMS = 5_000;
const STEERING_ANSWERS = ["applied", "waiting", "approved", "rejected", "excepted"];

/** The first invalid field of a stored review. Unknown fields are ignored. */
export function findStoredReviewProblem(value: unknown): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  const fields: RecordField[] = [
    ["batch", () => isBatchId(value["batch"])],
    ["kind", () => isAllowedValue(REVIEW_KINDS, value["kind"])],
    ["scope", () => isReviewScope(value["scope"])],
    ["at", () => isTimestamp(value["at"])],
    ["of", () => isStoredText(value["of"])],
    ["verdict", () => isAllowedValue(REVIEW_VERDICTS, value["verdict"])],
    ["computed", () => isAllowedValue(REVIEW_VERDICTS, value["computed"])],
    ["override", () => value["override"] === null || isVerdictOverride(value["override"])],
    ["disposition", () => isAllowedValue(REVIEW_DISPOSITIONS, value["disposition"])],
    ["counts", () => isSeverityCounts(value["counts"])],
    ["inspectors", () => areStoredTexts(value["inspectors"])],
    ["missing", () => areStoredTexts(value["missing"])],
    ["findings", () => areStoredFindings(value["findings"])],
    ["removed", () => areTextObjects(value["removed"], ["agent", "reason", "finding"])],
    ["resolved_conflicts", () => areResolvedConflicts(value["resolved_conflicts"])],
    ["unresolved", () => areStoredTexts(value["unresolved"])],
    ["spec_feedback", () => areSpecFeedback(value["spec_feedback"])],
    ["steering", () => isBoundedList(value["steering"], isStoredSteeringLine)],
    ["mended", () => isBoundedList(value["mended"], isReviewFinding)],
    ["notes", () => areStoredTexts(value["notes"])],
  ];
  return findInvalidField(fields);
}

/** Call only after `findStoredReviewProblem` found nothing. */
export const trustStoredReview = (value: unknown): StoredReview => value as StoredReview;

function isReviewScope(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { of, feature, wave, tasks } = value;
  if (of === "wave") return Number.isSafeInteger(wave) && Number(wave) > 0;
  if (of !== "feature") return of === "all";
  return typeof feature === "string" && isFeatureName(feature) && (tasks === undefined || areStoredTexts(tasks));
}

const isVerdictOverride = (value: unknown): boolean =>
  isPlainObject(value) && isAllowedValue(REVIEW_VERDICTS, value["verdict"]) && isStoredText(value["reason"]);

const isSeverityCounts = (value: unknown): boolean =>
  isPlainObject(value) &&
  FINDING_SEVERITIES.every((severity) => Number.isSafeInteger(value[severity]) && Number(value[severity]) >= 0);

function isReviewFinding(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    isAllowedValue(FINDING_SEVERITIES, value["severity"]) &&
    ["category", "location", "description"].every((name) => isStoredText(value[name])) &&
    areStoredTexts(value["sources"])
  );
}

function areStoredFindings(value: unknown): boolean {
  const ids = new Set<unknown>();
  return isBoundedList(value, (finding) => {
    if (!isPlainObject(finding) || !isReviewFinding(finding) || ids.has(finding["id"])) return false;
    const { id, seen, waived } = finding;
    ids.add(id);
    const isKnown =
      typeof id === "string" && /^F[1-9]\d{0,5}$/.test(id) && isAllowedValue(["new", "tracked", "regression"], seen);
    return isKnown && (waived === undefined || isStoredText(waived));
  });
}

const areResolvedConflicts = (value: unknown): boolean =>
  areTextObjects(value, ["resolution", "conflict"]) &&
  isBoundedList(value, (conflict) => isPlainObject(conflict) && areStoredTexts(conflict["agents"]));

const areSpecFeedback = (value: unknown): boolean =>
  areTextObjects(value, ["spec", "description"]) &&
  isBoundedList(value, (one) => isPlainObject(one) && isAllowedValue(["specifications", "design"], one["part"]));

const isStoredSteeringLine = (value: unknown): boolean =>
  isPlainObject(value) &&
  isAllowedValue(["CODIFY", "PROPOSE"], value["level"]) &&
  isSteeringFileName(value["file"]) &&
  isStoredText(value["text"]) &&
  isAllowedValue(STEERING_ANSWERS, value["answer"]);

/** A bare file name in `sdd/steering`, so that no line leaves the folder. */
export const isSteeringFileName = (value: unknown): boolean =>
  typeof value === "string" && /^[A-Za-z0-9][\w-]{0,59}\.md$/.test(value);

const areTextObjects = (value: unknown, texts: readonly string[]): boolean =>
  isBoundedList(value, (item) => isPlainObject(item) && texts.every((name) => isStoredText(item[name])));

const areStoredTexts = (value: unknown): boolean =>
  isBoundedList(value, (item) => isBoundedText(item, MAX_STORED_TEXT));

const isStoredText = (value: unknown): boolean => isBoundedText(value, MAX_STORED_TEXT) && value !== "";

const isBoundedList = (value: unknown, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= MAX_STORED_ITEMS && isArrayMatching(value, holds);
