import type { FeatureRecord, SteeringProposal, ReviewReference } from "../../../feature/record.ts";
import type { AuditResult, ReviewDisposition, ReviewVerdict } from "../../../review/finding.ts";
import { formatCount } from "../../../count.ts";
import { sanitizeText } from "../../../quote.ts";
import { countOpenFindings } from "../../../review/batch.ts";
import { normalizeCategoryName, VERDICT_DISPOSITIONS, isPassingVerdict } from "../../../review/verdict.ts";
import { mapFileOwnership, routeFindings } from "../../ownership.ts";
import { escalateFeature, unblockReadyDependents } from "../changes/blocking.ts";
import { countFixAttempt, resetCountersAfterPass } from "../changes/counters.ts";
import type { LeadDraft } from "../draft.ts";
import type { StoredFinding } from "../event.ts";
import { getReviewBatchPath } from "../ids.ts";
import { endReachedGoal, setFeatureGoal } from "../changes/goal.ts";
import { reopenWaveGates, refreshDesignBasis, requestDesignFix, reopenTaskGroups } from "../changes/mending.ts";
import type { OpenReview } from "../state.ts";
import { getFeatureGoal } from "../view.ts";

export interface JudgedReview {
  readonly review: OpenReview;
  readonly verdict: ReviewVerdict;
  readonly findings: readonly StoredFinding[];
  readonly audit: AuditResult;
}

/** Pending steering lines survive the next review. */
export function createReviewReference(
  judged: JudgedReview,
  disposition: ReviewDisposition,
  before: ReviewReference | null,
): ReviewReference {
  const { review, verdict, audit } = judged;
  const proposed = audit.steering.flatMap(({ level, file, text }, i): SteeringProposal[] =>
    level === "PROPOSE" ? [{ batch: review.batch, line: i + 1, file, text }] : [],
  );
  const waiting = [...(before?.waiting ?? []), ...proposed];
  const ref = { batch: review.batch, verdict, disposition, of: review.of, proposals: waiting.length };
  return waiting.length > 0 ? { ...ref, waiting } : ref;
}

export function applyFeatureVerdict(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): ReviewDisposition {
  const { kind } = judged.review;
  if (isPassingVerdict(judged.verdict)) return passFeatureReview(draft, record, judged);
  const kindOfFix = kind === "impl" && judged.verdict === "SPEC-UPDATE-NEEDED" ? "spec-update" : "retry";
  const counted = countFixAttempt(record, kindOfFix);
  const disposition = counted ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
  const reviewed = storeFeatureReview(counted ?? record, judged, disposition);
  // Outside of a run, a failed review also requests its fix.
  if (getFeatureGoal(draft.lead(), record) === null)
    setFeatureGoal(draft, record.feature_name, kind === "design" ? "design" : "implementation");
  reopenWaveGates(draft, record, "review");
  draft.keep(kind === "design" ? requestReviewedDesignFix(draft, reviewed, judged) : requestCodeFix(reviewed, judged));
  if (!counted) escalateFeature(draft, record.feature_name, `No retry is left. ${formatVerdictSummary(judged)}`);
  return disposition;
}

function passFeatureReview(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): ReviewDisposition {
  const disposition = VERDICT_DISPOSITIONS[judged.verdict];
  const passed = resetCountersAfterPass(storeFeatureReview(record, judged, disposition), judged.review.kind);
  draft.keep(isFullCodeReview(judged.review) ? refreshDesignBasis(draft, passed) : passed);
  endReachedGoal(draft, record.feature_name);
  unblockReadyDependents(draft, record.feature_name);
  return disposition;
}

const isFullCodeReview = ({ kind, scope }: OpenReview): boolean =>
  kind === "impl" && scope.of === "feature" && scope.tasks === undefined;

function storeFeatureReview(
  record: FeatureRecord,
  judged: JudgedReview,
  disposition: ReviewDisposition,
): FeatureRecord {
  const { kind, scope } = judged.review;
  const part = kind === "design" ? "design" : "implementation";
  const before = record.reviews[part];
  const ref = createReviewReference(judged, disposition, before);
  // A review of selected tasks does not pass the whole feature. Its proposals still wait.
  const tasks = scope.of === "feature" && isPassingVerdict(judged.verdict) ? scope.tasks : undefined;
  if (!tasks) return { ...record, reviews: { ...record.reviews, [part]: ref } };
  const kept: ReviewReference = before
    ? { ...before, proposals: ref.proposals, ...(ref.waiting ? { waiting: ref.waiting } : {}) }
    : { ...ref, of: `tasks ${tasks.join(", ")}` };
  return { ...record, reviews: { ...record.reviews, [part]: kept } };
}

function requestReviewedDesignFix(draft: LeadDraft, record: FeatureRecord, judged: JudgedReview): FeatureRecord {
  const { isOn, isGated } = draft.run;
  const structure = judged.findings.find(({ category }) => normalizeCategoryName(category) === "spec-structure");
  const isAsked = structure !== undefined && isOn && isGated;
  if (structure && !isAsked) recordDirectionChange(draft, record, judged, structure.description);
  const detail = structure && isAsked ? sanitizeText(structure.description, 1_000) : formatVerdictSummary(judged);
  const fix = { source: "design", batch: getJudgedBatchPath(judged), detail, groups: [] } as const;
  return { ...record, fix: isAsked ? { ...fix, isStructural: true } : fix };
}

function recordDirectionChange(
  draft: LeadDraft,
  { feature_name: name }: FeatureRecord,
  judged: JudgedReview,
  what: string,
): void {
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

function requestCodeFix(record: FeatureRecord, judged: JudgedReview): FeatureRecord {
  const batch = getJudgedBatchPath(judged);
  if (judged.verdict === "SPEC-UPDATE-NEEDED") {
    const detail = sanitizeText(judged.audit.spec_feedback.map(({ description }) => description).join(" "), 1_000);
    return requestDesignFix(record, { source: "spec-update", batch, detail, groups: [] });
  }
  const route = routeFindings(mapFileOwnership([record]), selectFixableFindings(judged.findings)).owned.get(
    record.feature_name,
  );
  const groups = route?.groups ?? record.implementation.groups.map(({ id }) => id);
  return reopenTaskGroups(record, { source: "impl", batch, detail: formatVerdictSummary(judged), groups });
}

/** Low findings alone still need a fix. Otherwise they are fixed along with the others. */
export function selectFixableFindings(findings: readonly StoredFinding[]): readonly StoredFinding[] {
  const standing = findings.filter(({ waived }) => waived === undefined);
  const grave = standing.filter(({ severity }) => severity !== "L");
  return grave.length > 0 ? grave : standing;
}

export const getJudgedBatchPath = ({ review }: JudgedReview): string => getReviewBatchPath(review.scope, review.batch);

export function formatVerdictSummary({ review, verdict, findings }: JudgedReview): string {
  const { C, H, M, L } = countOpenFindings(findings);
  return `${verdict} in ${review.batch}: ${C} critical, ${H} high, ${M} medium, ${formatCount(L, "low finding")}.`;
}
