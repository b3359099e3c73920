import { Fault } from "#kernel/model/fault.ts";
import { formatPlainYaml, parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { findRecordProblem } from "#kernel/model/record-schema.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { getViewName, REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import type { OpenReview } from "../lead/lead-state.ts";
import { addFindingHistory, listFixedFindings, listLoweredFindings } from "./finding-history.ts";
import { type ReviewKind } from "./review-kinds.ts";
import {
  type AuditResult,
  type FindingSeverity,
  type ReviewDisposition,
  type ReviewFinding,
  type ReviewReporter,
  type StoredFinding,
  StoredReview,
} from "./review-finding.ts";
import { judgeReviewFindings, VERDICT_DISPOSITIONS } from "./review-verdict.ts";

export function createStoredReview(
  review: OpenReview,
  audit: AuditResult,
  at: string,
  disposition: ReviewDisposition,
  auditor?: ReviewReporter,
): StoredReview {
  const { batch, kind, scope, of, inspectors } = review;
  const { removed, resolved, unresolved, spec_feedback } = audit;
  const findings = addFindingHistory(audit.verified, review.tracked, review.mended);
  const head = { batch, kind, scope, at, of, ...judgeReviewFindings(kind, findings, audit), disposition };
  const told = { findings, removed, resolved_conflicts: resolved, unresolved, spec_feedback };
  return {
    ...head,
    counts: countOpenFindings(findings),
    inspectors,
    missing: listMissingInspectors(review),
    ...listReporters(review, auditor),
    ...told,
    steering: audit.steering.map((line) => ({ ...line, answer: line.level === "CODIFY" ? "applied" : "waiting" })),
    mended: listFixedFindings(listRecheckedFindings(review), findings, removed),
    notes: [...audit.notes, ...audit.roadmap_advisory, ...listLoweredFindings(review, audit)],
  };
}

type Inspections = OpenReview["inspections"];

export function addInspections(review: OpenReview, found: Inspections, by: ReviewReporter | undefined): OpenReview {
  const reporters = by && Object.fromEntries(Object.keys(found).map((view) => [view, by]));
  const inspections = { ...review.inspections, ...found };
  return { ...review, inspections, ...(reporters && { reporters: { ...review.reporters, ...reporters } }) };
}

function listReporters({ reporters = {} }: OpenReview, auditor: ReviewReporter | undefined) {
  const known = Object.entries({ ...reporters, ...(auditor && { auditor }) });
  const names = new Set(known.map(([, { session, agent = "" }]) => `${session}|${agent}`));
  const mark = known.length > 1 && names.size === 1 ? { one_reporter: true } : {};
  return auditor ? { reports: known.map(([by, reporter]) => ({ by, ...reporter })), ...mark } : {};
}

export const formatStoredReview = (review: StoredReview): string =>
  formatPlainYaml(JSON.parse(JSON.stringify(review)) as Parameters<typeof formatPlainYaml>[0]);

export function parseStoredReview(text: string): StoredReview | { readonly problems: readonly Problem[] } {
  const read = parsePlainYaml(text);
  if ("problem" in read) return { problems: [read] };
  const problem = findStoredReviewProblem(read.value);
  return problem === undefined
    ? (read.value as unknown as StoredReview)
    : { problems: [{ problem: `As a review, ${problem}.` }] };
}

export const findStoredReviewProblem = (value: unknown): string | undefined => findRecordProblem(StoredReview, value);

export function waiveStoredFinding(review: StoredReview, id: string, reason: string): StoredReview {
  const what = `The finding ${quote(id, 20)} of ${review.batch} was not waived.`;
  if (!review.findings.some((finding) => finding.id === id)) {
    const ids = review.findings.map((finding) => finding.id).join(", ");
    const why = ids === "" ? "The review found nothing." : `The review has ${ids}.`;
    throw new Fault("review.unknown-finding", { what, why, fix: "Name a finding by its id, such as F1." });
  }
  const waived = reason.trim();
  if (waived === "") {
    const why = "Later readers of the review need to know why it may stay.";
    throw new Fault("review.no-reason", { what, why, fix: "Give the user's reason." });
  }
  const { kind, spec_feedback, unresolved, override } = review;
  const findings = review.findings.map((finding) => (finding.id === id ? { ...finding, waived } : finding));
  // The auditor's argument counts again: the user may have waived the Critical that blocked it.
  const opinion = { verdict: review.computed, spec_feedback, unresolved, ...override };
  const { computed, verdict } = judgeReviewFindings(kind, findings, opinion);
  const disposition = verdict === review.verdict ? review.disposition : VERDICT_DISPOSITIONS[verdict];
  return { ...review, findings, verdict, computed, disposition, counts: countOpenFindings(findings) };
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

export function countOpenFindings(findings: readonly StoredFinding[]): Record<FindingSeverity, number> {
  const counts = { C: 0, H: 0, M: 0, L: 0 };
  for (const { severity, waived } of findings) if (waived === undefined) counts[severity] += 1;
  return counts;
}

/** Open findings that this review would report again. Those of missing inspectors or other tasks stay open. */
function listRecheckedFindings(review: OpenReview): readonly ReviewFinding[] {
  if (review.scope.of === "feature" && review.scope.tasks !== undefined) return [];
  const seen = new Set(callInspectorRoll(review).reported.map(getViewName));
  const missing = listMissingInspectors(review).filter((name) => !seen.has(getViewName(name)));
  return review.tracked.filter(
    ({ sources }) =>
      sources.length === 0 ||
      sources.some((source) => !missing.map(getViewName).includes(normalizeInspectorName(review.kind, source))),
  );
}

type CalledReview = Pick<OpenReview, "inspectors" | "inspections" | "missing">;

export function callInspectorRoll({ inspectors, inspections, missing }: CalledReview) {
  const reported = inspectors.filter((name) => Object.hasOwn(inspections, name));
  const lost = inspectors.filter((name) => !reported.includes(name) && missing.includes(name));
  const awaited = inspectors.filter((name) => !reported.includes(name) && !lost.includes(name));
  /** `isOver`: no inspector is awaited, so the auditor may start. */
  return { reported, missing: lost, awaited, isOver: awaited.length === 0 };
}

/** The inspectors that work as one agent with this one. */
export const findInspectionPanel = ({ panels = [] }: Pick<OpenReview, "panels">, name: string): readonly string[] =>
  panels.find((panel) => panel.includes(name)) ?? [name];

export function listMissingInspectors(review: CalledReview): string[] {
  const { missing, awaited } = callInspectorRoll(review);
  return review.inspectors.filter((name) => missing.includes(name) || awaited.includes(name));
}

/** Auditors shorten the names: `sdd-inspector-test`, `settings` for `dead-settings`. */
export function normalizeInspectorName(kind: ReviewKind, said: string): string {
  const [, name = ""] = /^(?:sdd-)?(?:inspector-)?(.*?)(?:@\d+)?$/s.exec(said.trim().toLowerCase()) ?? [];
  const known: readonly string[] = REVIEW_INSPECTORS[kind];
  return [name, `impl-${name}`, `dead-${name}`].find((one) => known.includes(one)) ?? name;
}
