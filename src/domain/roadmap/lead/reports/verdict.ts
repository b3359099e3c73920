import type { FeatureRecord, Proposal, ReviewRef } from "../../../feature/record.ts";
import type { Audit, Disposition, ReviewVerdict } from "../../../review/finding.ts";
import { formatCount } from "../../../count.ts";
import { sanitizeText } from "../../../quote.ts";
import { countsOf } from "../../../review/batch.ts";
import { categoryName, DISPOSITION_OF, isPassing } from "../../../review/verdict.ts";
import { ownershipOf, routesOf } from "../../ownership.ts";
import { escalate, releaseIfSound } from "../changes/blocking.ts";
import { withFixCounted, withPassCounted } from "../changes/counters.ts";
import type { Draft } from "../draft.ts";
import type { StoredFinding } from "../event.ts";
import { batchPath } from "../ids.ts";
import { endGoal, setGoal } from "../changes/goal.ts";
import { reopenWave, withBasisNow, withDesignAnew, withGroupsWoken } from "../changes/mending.ts";
import type { OpenReview } from "../state.ts";
import { aimOf } from "../view.ts";

export interface Judged {
  readonly review: OpenReview;
  readonly verdict: ReviewVerdict;
  readonly findings: readonly StoredFinding[];
  readonly audit: Audit;
}

/** Pending steering lines survive the next review. */
export function refOf(judged: Judged, disposition: Disposition, before: ReviewRef | null): ReviewRef {
  const { review, verdict, audit } = judged;
  const proposed = audit.steering.flatMap(({ level, file, text }, i): Proposal[] =>
    level === "PROPOSE" ? [{ batch: review.batch, line: i + 1, file, text }] : [],
  );
  const waiting = [...(before?.waiting ?? []), ...proposed];
  const ref = { batch: review.batch, verdict, disposition, of: review.of, proposals: waiting.length };
  return waiting.length > 0 ? { ...ref, waiting } : ref;
}

export function takeFeatureVerdict(draft: Draft, record: FeatureRecord, judged: Judged): Disposition {
  const { kind } = judged.review;
  if (isPassing(judged.verdict)) return pass(draft, record, judged);
  const kindOfFix = kind === "impl" && judged.verdict === "SPEC-UPDATE-NEEDED" ? "spec-update" : "retry";
  const counted = withFixCounted(record, kindOfFix);
  const disposition = counted ? DISPOSITION_OF[judged.verdict] : "ESCALATED";
  const reviewed = withReview(counted ?? record, judged, disposition);
  // Outside of a run, a failed review also requests its fix.
  if (aimOf(draft.lead(), record) === null)
    setGoal(draft, record.feature_name, kind === "design" ? "design" : "implementation");
  reopenWave(draft, record, "review");
  draft.keep(kind === "design" ? mendDesign(draft, reviewed, judged) : mendCode(reviewed, judged));
  if (!counted) escalate(draft, record.feature_name, `No retry is left. ${summaryOf(judged)}`);
  return disposition;
}

function pass(draft: Draft, record: FeatureRecord, judged: Judged): Disposition {
  const disposition = DISPOSITION_OF[judged.verdict];
  const passed = withPassCounted(withReview(record, judged, disposition), judged.review.kind);
  draft.keep(isOfAllCode(judged.review) ? withBasisNow(draft, passed) : passed);
  endGoal(draft, record.feature_name);
  releaseIfSound(draft, record.feature_name);
  return disposition;
}

const isOfAllCode = ({ kind, scope }: OpenReview): boolean =>
  kind === "impl" && scope.of === "feature" && scope.tasks === undefined;

function withReview(record: FeatureRecord, judged: Judged, disposition: Disposition): FeatureRecord {
  const { kind, scope } = judged.review;
  const part = kind === "design" ? "design" : "implementation";
  const before = record.reviews[part];
  const ref = refOf(judged, disposition, before);
  // A review of selected tasks does not pass the whole feature. Its proposals still wait.
  const tasks = scope.of === "feature" && isPassing(judged.verdict) ? scope.tasks : undefined;
  if (!tasks) return { ...record, reviews: { ...record.reviews, [part]: ref } };
  const kept: ReviewRef = before
    ? { ...before, proposals: ref.proposals, ...(ref.waiting ? { waiting: ref.waiting } : {}) }
    : { ...ref, of: `tasks ${tasks.join(", ")}` };
  return { ...record, reviews: { ...record.reviews, [part]: kept } };
}

function mendDesign(draft: Draft, record: FeatureRecord, judged: Judged): FeatureRecord {
  const { isOn, isGated } = draft.run;
  const structure = judged.findings.find(({ category }) => categoryName(category) === "spec-structure");
  const isAsked = structure !== undefined && isOn && isGated;
  if (structure && !isAsked) directionChanged(draft, record, judged, structure.description);
  const detail = structure && isAsked ? sanitizeText(structure.description, 1_000) : summaryOf(judged);
  const fix = { source: "design", batch: pathOf(judged), detail, groups: [] } as const;
  return { ...record, fix: isAsked ? { ...fix, isStructural: true } : fix };
}

function directionChanged(draft: Draft, { feature_name: name }: FeatureRecord, judged: Judged, what: string): void {
  draft.effect({
    kind: "decision",
    type: "DIRECTION_CHANGE",
    summary: `The structure of ${name} changes`,
    context: `Review ${judged.review.batch} of ${name} found: ${sanitizeText(what, 300)}`,
    decision: "The Architect changes how the work is cut.",
    reason: "Nobody is asked in a full-auto run.",
    impact: name,
    source: `review verdict ${judged.review.batch}`,
  });
}

function mendCode(record: FeatureRecord, judged: Judged): FeatureRecord {
  const batch = pathOf(judged);
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    const detail = sanitizeText(judged.audit.spec_feedback.map(({ description }) => description).join(" "), 1_000);
    return withDesignAnew(record, { source: "spec-update", batch, detail, groups: [] });
  }
  const route = routesOf(ownershipOf([record]), weighty(judged.findings)).owned.get(record.feature_name);
  const groups = route?.groups ?? record.implementation.groups.map(({ id }) => id);
  return withGroupsWoken(record, { source: "impl", batch, detail: summaryOf(judged), groups });
}

/** Low findings alone still need a fix. Otherwise they are fixed along with the others. */
export function weighty(findings: readonly StoredFinding[]): readonly StoredFinding[] {
  const standing = findings.filter(({ waived }) => waived === undefined);
  const grave = standing.filter(({ severity }) => severity !== "L");
  return grave.length > 0 ? grave : standing;
}

export const pathOf = ({ review }: Judged): string => batchPath(review.scope, review.batch);

export function summaryOf({ review, verdict, findings }: Judged): string {
  const { C, H, M, L } = countsOf(findings);
  return `${verdict} in ${review.batch}: ${C} critical, ${H} high, ${M} medium, ${formatCount(L, "low finding")}.`;
}
