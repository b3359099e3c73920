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
import { isBatch } from "./batch-number.ts";
import { DISPOSITIONS, REVIEW_KINDS, REVIEW_VERDICTS, SEVERITIES } from "./finding.ts";

const LONGEST = 10_000;
const MOST = 5_000;
const ANSWERS = ["applied", "waiting", "approved", "rejected", "excepted"];

/** The first invalid field of a stored review. Unknown fields are ignored. */
export function storedReviewProblem(value: unknown): string | undefined {
  if (!isPlainObject(value)) return "it is not an object";
  const fields: RecordField[] = [
    ["batch", () => isBatch(value["batch"])],
    ["kind", () => isAllowedValue(REVIEW_KINDS, value["kind"])],
    ["scope", () => isScope(value["scope"])],
    ["at", () => isTimestamp(value["at"])],
    ["of", () => isTold(value["of"])],
    ["verdict", () => isAllowedValue(REVIEW_VERDICTS, value["verdict"])],
    ["computed", () => isAllowedValue(REVIEW_VERDICTS, value["computed"])],
    ["override", () => value["override"] === null || isOverride(value["override"])],
    ["disposition", () => isAllowedValue(DISPOSITIONS, value["disposition"])],
    ["counts", () => isCounts(value["counts"])],
    ["inspectors", () => areTexts(value["inspectors"])],
    ["missing", () => areTexts(value["missing"])],
    ["findings", () => areStoredFindings(value["findings"])],
    ["removed", () => areObjects(value["removed"], ["agent", "reason", "finding"])],
    ["resolved_conflicts", () => areConflicts(value["resolved_conflicts"])],
    ["unresolved", () => areTexts(value["unresolved"])],
    ["spec_feedback", () => areFeedback(value["spec_feedback"])],
    ["steering", () => isShortListOf(value["steering"], isSteering)],
    ["mended", () => isShortListOf(value["mended"], isFinding)],
    ["notes", () => areTexts(value["notes"])],
  ];
  return findInvalidField(fields);
}

/** Call only after `findStoredReviewProblem` found nothing. */
export const asStoredReview = (value: unknown): StoredReview => value as StoredReview;

function isScope(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { of, feature, wave, tasks } = value;
  if (of === "wave") return Number.isSafeInteger(wave) && Number(wave) > 0;
  if (of !== "feature") return of === "all";
  return typeof feature === "string" && isFeatureName(feature) && (tasks === undefined || areTexts(tasks));
}

const isOverride = (value: unknown): boolean =>
  isPlainObject(value) && isAllowedValue(REVIEW_VERDICTS, value["verdict"]) && isTold(value["reason"]);

const isCounts = (value: unknown): boolean =>
  isPlainObject(value) &&
  SEVERITIES.every((severity) => Number.isSafeInteger(value[severity]) && Number(value[severity]) >= 0);

function isFinding(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    isAllowedValue(SEVERITIES, value["severity"]) &&
    ["category", "location", "description"].every((name) => isTold(value[name])) &&
    areTexts(value["sources"])
  );
}

function areStoredFindings(value: unknown): boolean {
  const ids = new Set<unknown>();
  return isShortListOf(value, (finding) => {
    if (!isPlainObject(finding) || !isFinding(finding) || ids.has(finding["id"])) return false;
    const { id, seen, waived } = finding;
    ids.add(id);
    const isKnown =
      typeof id === "string" && /^F[1-9]\d{0,5}$/.test(id) && isAllowedValue(["new", "tracked", "regression"], seen);
    return isKnown && (waived === undefined || isTold(waived));
  });
}

const areConflicts = (value: unknown): boolean =>
  areObjects(value, ["resolution", "conflict"]) &&
  isShortListOf(value, (conflict) => isPlainObject(conflict) && areTexts(conflict["agents"]));

const areFeedback = (value: unknown): boolean =>
  areObjects(value, ["spec", "description"]) &&
  isShortListOf(value, (one) => isPlainObject(one) && isAllowedValue(["specifications", "design"], one["part"]));

const isSteering = (value: unknown): boolean =>
  isPlainObject(value) &&
  isAllowedValue(["CODIFY", "PROPOSE"], value["level"]) &&
  isSteeringFile(value["file"]) &&
  isTold(value["text"]) &&
  isAllowedValue(ANSWERS, value["answer"]);

/** A bare file name in `sdd/steering`, so that no line leaves the folder. */
export const isSteeringFile = (value: unknown): boolean =>
  typeof value === "string" && /^[A-Za-z0-9][\w-]{0,59}\.md$/.test(value);

const areObjects = (value: unknown, texts: readonly string[]): boolean =>
  isShortListOf(value, (item) => isPlainObject(item) && texts.every((name) => isTold(item[name])));

const areTexts = (value: unknown): boolean => isShortListOf(value, (item) => isBoundedText(item, LONGEST));

const isTold = (value: unknown): boolean => isBoundedText(value, LONGEST) && value !== "";

const isShortListOf = (value: unknown, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= MOST && isArrayMatching(value, holds);
