import { isFeatureName } from "../feature/name.ts";
import { brokenField, type Field, isListOf, isObject, isOneOf, isText, isTime } from "../flow/shape.ts";
import type { StoredReview } from "../roadmap/lead/event.ts";
import { isBatch } from "./batch-number.ts";
import { DISPOSITIONS, REVIEW_KINDS, REVIEW_VERDICTS, SEVERITIES } from "./finding.ts";

const LONGEST = 10_000;
const MOST = 5_000;
const ANSWERS = ["applied", "waiting", "approved", "rejected", "excepted"];

/** The first invalid field of a stored review. Unknown fields are ignored. */
export function storedReviewProblem(value: unknown): string | undefined {
  if (!isObject(value)) return "it is not an object";
  const fields: Field[] = [
    ["batch", () => isBatch(value["batch"])],
    ["kind", () => isOneOf(REVIEW_KINDS, value["kind"])],
    ["scope", () => isScope(value["scope"])],
    ["at", () => isTime(value["at"])],
    ["of", () => isTold(value["of"])],
    ["verdict", () => isOneOf(REVIEW_VERDICTS, value["verdict"])],
    ["computed", () => isOneOf(REVIEW_VERDICTS, value["computed"])],
    ["override", () => value["override"] === null || isOverride(value["override"])],
    ["disposition", () => isOneOf(DISPOSITIONS, value["disposition"])],
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
  return brokenField(fields);
}

/** Call only after `findStoredReviewProblem` found nothing. */
export const asStoredReview = (value: unknown): StoredReview => value as StoredReview;

function isScope(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { of, feature, wave, tasks } = value;
  if (of === "wave") return Number.isSafeInteger(wave) && Number(wave) > 0;
  if (of !== "feature") return of === "all";
  return typeof feature === "string" && isFeatureName(feature) && (tasks === undefined || areTexts(tasks));
}

const isOverride = (value: unknown): boolean =>
  isObject(value) && isOneOf(REVIEW_VERDICTS, value["verdict"]) && isTold(value["reason"]);

const isCounts = (value: unknown): boolean =>
  isObject(value) &&
  SEVERITIES.every((severity) => Number.isSafeInteger(value[severity]) && Number(value[severity]) >= 0);

function isFinding(value: unknown): boolean {
  return (
    isObject(value) &&
    isOneOf(SEVERITIES, value["severity"]) &&
    ["category", "location", "description"].every((name) => isTold(value[name])) &&
    areTexts(value["sources"])
  );
}

function areStoredFindings(value: unknown): boolean {
  const ids = new Set<unknown>();
  return isShortListOf(value, (finding) => {
    if (!isObject(finding) || !isFinding(finding) || ids.has(finding["id"])) return false;
    const { id, seen, waived } = finding;
    ids.add(id);
    const isKnown =
      typeof id === "string" && /^F[1-9]\d{0,5}$/.test(id) && isOneOf(["new", "tracked", "regression"], seen);
    return isKnown && (waived === undefined || isTold(waived));
  });
}

const areConflicts = (value: unknown): boolean =>
  areObjects(value, ["resolution", "conflict"]) &&
  isShortListOf(value, (conflict) => isObject(conflict) && areTexts(conflict["agents"]));

const areFeedback = (value: unknown): boolean =>
  areObjects(value, ["spec", "description"]) &&
  isShortListOf(value, (one) => isObject(one) && isOneOf(["specifications", "design"], one["part"]));

const isSteering = (value: unknown): boolean =>
  isObject(value) &&
  isOneOf(["CODIFY", "PROPOSE"], value["level"]) &&
  isSteeringFile(value["file"]) &&
  isTold(value["text"]) &&
  isOneOf(ANSWERS, value["answer"]);

/** A bare file name in `sdd/steering`, so that no line leaves the folder. */
export const isSteeringFile = (value: unknown): boolean =>
  typeof value === "string" && /^[A-Za-z0-9][\w-]{0,59}\.md$/.test(value);

const areObjects = (value: unknown, texts: readonly string[]): boolean =>
  isShortListOf(value, (item) => isObject(item) && texts.every((name) => isTold(item[name])));

const areTexts = (value: unknown): boolean => isShortListOf(value, (item) => isText(item, LONGEST));

const isTold = (value: unknown): boolean => isText(value, LONGEST) && value !== "";

const isShortListOf = (value: unknown, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= MOST && isListOf(value, holds);
