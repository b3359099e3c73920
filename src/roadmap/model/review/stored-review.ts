import { Fault } from "#kernel/model/fault.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { formatPlainYaml, parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { StoredFinding, StoredReview } from "../lead/lead-events.ts";
import type { OpenReview } from "../lead/lead-state.ts";
import {
  type AuditResult,
  type ReviewDisposition,
  type ReviewFinding,
  type ReviewVerdict,
  type FindingSeverity,
  isBatchId,
  REVIEW_DISPOSITIONS,
  REVIEW_KINDS,
  REVIEW_VERDICTS,
  FINDING_SEVERITIES,
  type ReviewKind,
} from "./review-finding.ts";
import { listFixedFindings, addFindingHistory } from "./finding-history.ts";
import { VERDICT_DISPOSITIONS, judgeReviewFindings } from "./review-verdict.ts";
import { isFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  findInvalidField,
  type RecordField,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isBoundedText,
  isTimestamp,
} from "#kernel/model/flow/record-shape.ts";
import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";

export function createStoredReview(
  review: OpenReview,
  audit: AuditResult,
  at: string,
  disposition: ReviewDisposition,
): StoredReview {
  const findings = addFindingHistory(audit.verified, review.tracked, review.mended);
  const { computed, verdict, override } = judgeReviewFindings(review.kind, findings, audit);
  return {
    batch: review.batch,
    kind: review.kind,
    scope: review.scope,
    at,
    of: review.of,
    verdict,
    computed,
    override,
    disposition,
    counts: countOpenFindings(findings),
    inspectors: review.inspectors,
    missing: listMissingInspectors(review),
    findings,
    removed: audit.removed,
    resolved_conflicts: audit.resolved,
    unresolved: audit.unresolved,
    spec_feedback: audit.spec_feedback,
    steering: audit.steering.map((line) => ({ ...line, answer: line.level === "CODIFY" ? "applied" : "waiting" })),
    mended: listFixedFindings(listRecheckedFindings(review), findings, audit.removed),
    notes: [...audit.notes, ...audit.roadmap_advisory],
  };
}

export const formatStoredReview = (review: StoredReview): string =>
  formatPlainYaml(JSON.parse(JSON.stringify(review)) as Parameters<typeof formatPlainYaml>[0]);

export function parseStoredReview(text: string): StoredReview | { readonly problems: readonly Problem[] } {
  const read = parsePlainYaml(text);
  if ("problem" in read) return { problems: [read] };
  const problem = findStoredReviewProblem(read.value);
  return problem === undefined
    ? trustStoredReview(read.value)
    : { problems: [{ problem: `As a review, ${problem}.` }] };
}

export function waiveStoredFinding(review: StoredReview, id: string, reason: string): StoredReview {
  const what = `The finding ${quote(id, 20)} of ${review.batch} was not waived.`;
  if (!review.findings.some((finding) => finding.id === id)) {
    const ids = review.findings.map((finding) => finding.id).join(", ");
    const why = ids === "" ? "The review found nothing." : `The review has ${ids}.`;
    throw new Fault("review.unknown-finding", { what, why, fix: "Name a finding by its id, such as F1." });
  }
  if (reason.trim() === "") {
    const why = "Whoever reads the review later has to know why it may stand.";
    throw new Fault("review.no-reason", { what, why, fix: "Say the user's reason." });
  }
  const findings = review.findings.map((finding) =>
    finding.id === id ? { ...finding, waived: reason.trim() } : finding,
  );
  return rejudgeStoredReview({ ...review, findings });
}

/** Lines are counted from 1, as in the question ids. */
export function answerSteeringProposal(
  review: StoredReview,
  number: number,
  answer: "approved" | "rejected" | "excepted",
): StoredReview {
  if (review.steering[number - 1]?.answer !== "waiting") {
    const waiting = review.steering.flatMap((line, i) => (line.answer === "waiting" ? [String(i + 1)] : []));
    throw new Fault("review.no-proposal", {
      what: `Line ${number} of the steering in ${review.batch} was not answered.`,
      why: waiting.length === 0 ? "No line waits for an answer." : `Those that wait: ${waiting.join(", ")}.`,
      fix: "Answer a line that was proposed and has no answer yet.",
    });
  }
  return { ...review, steering: review.steering.map((line, i) => (i === number - 1 ? { ...line, answer } : line)) };
}

/** The auditor's argument counts again: the user may have waived the Critical that blocked it. */
function rejudgeStoredReview(review: StoredReview): StoredReview {
  const { kind, findings, spec_feedback, unresolved, override } = review;
  const opinion = {
    verdict: review.computed as ReviewVerdict,
    spec_feedback,
    unresolved,
    ...readVerdictOverride(override),
  };
  const { computed, verdict } = judgeReviewFindings(kind, findings, opinion);
  const disposition = verdict === review.verdict ? review.disposition : VERDICT_DISPOSITIONS[verdict];
  return { ...review, verdict, computed, disposition, counts: countOpenFindings(findings) };
}

const readVerdictOverride = (
  override: StoredReview["override"],
): { verdict: ReviewVerdict; reason: string } | undefined =>
  override === null ? undefined : { verdict: override.verdict as ReviewVerdict, reason: override.reason };

export function countOpenFindings(findings: readonly StoredFinding[]): Record<FindingSeverity, number> {
  const counts = { C: 0, H: 0, M: 0, L: 0 };
  for (const { severity, waived } of findings) if (waived === undefined) counts[severity] += 1;
  return counts;
}

/**
 * Findings that this review would report again if they still existed. Findings whose inspectors are all missing stay
 * open, and so does every finding in a review of selected tasks.
 */
function listRecheckedFindings(review: OpenReview): readonly ReviewFinding[] {
  if (review.scope.of === "feature" && review.scope.tasks !== undefined) return [];
  const missing = listMissingInspectors(review);
  return review.tracked.filter(
    ({ sources }) =>
      sources.length === 0 || sources.some((source) => !missing.includes(normalizeInspectorName(review.kind, source))),
  );
}

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
const trustStoredReview = (value: unknown): StoredReview => value as StoredReview;

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

export interface InspectorRollCall {
  readonly reported: readonly string[];
  readonly missing: readonly string[];
  readonly awaited: readonly string[];
  /** Whether no inspector is awaited, so that the auditor may start. */
  readonly isOver: boolean;
}

type CalledReview = Pick<OpenReview, "inspectors" | "inspections" | "missing">;

export function callInspectorRoll({ inspectors, inspections, missing }: CalledReview): InspectorRollCall {
  const reported = inspectors.filter((name) => Object.hasOwn(inspections, name));
  const lost = inspectors.filter((name) => !reported.includes(name) && missing.includes(name));
  const awaited = inspectors.filter((name) => !reported.includes(name) && !lost.includes(name));
  return { reported, missing: lost, awaited, isOver: awaited.length === 0 };
}

export function listMissingInspectors(review: CalledReview): string[] {
  const { missing, awaited } = callInspectorRoll(review);
  return review.inspectors.filter((name) => missing.includes(name) || awaited.includes(name));
}

/** Auditors shorten the names: `sdd-inspector-test`, `settings` for `dead-settings`. */
export function normalizeInspectorName(kind: ReviewKind, said: string): string {
  const name = said
    .trim()
    .toLowerCase()
    .replace(/^sdd-/, "")
    .replace(/^inspector-/, "");
  const known: readonly string[] = REVIEW_INSPECTORS[kind];
  return [name, `impl-${name}`, `dead-${name}`].find((one) => known.includes(one)) ?? name;
}
