import type { FeatureRecord } from "../../../feature/record.ts";
import type { Disposition, ReviewVerdict } from "../../../review/finding.ts";
import { isHistoryOf, withWaiver } from "../../../review/history.ts";
import { decided } from "../changes/decision.ts";
import { dismissFeature } from "../changes/dismissal.ts";
import type { Draft } from "../draft.ts";
import type { StoredFinding, StoredReview } from "../event.ts";
import { batchPath, headOf } from "../ids.ts";
import type { WaveReview } from "../next/wave.ts";
import { type Judged, takeFeatureVerdict } from "../reports/verdict.ts";
import { takeWaveVerdict } from "../reports/wave-verdict.ts";
import { APPLIED, type EventOf, refuse, type Taken } from "../taken.ts";

/** The user waived a finding and the review has a new verdict. Cancels the work that the old verdict started. */
export function takeWaiver(draft: Draft, { review, finding: id }: EventOf<"waived">): Taken {
  const finding = review.findings.find((each) => each.id === id);
  if (finding?.waived === undefined) return refuse(`${id} of ${review.batch} is not waived.`);
  const disposition = follow(draft, review) ?? (review.disposition as Disposition);
  draft.effect({ kind: "batch", batch: { ...review, disposition } });
  tellOpenReviews(draft, review, finding);
  decided(draft, {
    type: "USER_DECISION",
    summary: `${id} of ${review.batch} may stand`,
    context: `Review ${review.batch} of ${headOf(review.scope)}: ${finding.description}`,
    decision: `The finding is waived; the verdict is ${review.verdict}.`,
    said: finding.waived,
    impact: headOf(review.scope),
  });
  return APPLIED;
}

/** An open review tracks the earlier findings, so the waiver applies there too. */
function tellOpenReviews(draft: Draft, batch: StoredReview, finding: StoredFinding): void {
  for (const key of draft.reviewKeys()) {
    const open = draft.review(key);
    if (!open || !isHistoryOf(batch, open.kind, open.scope)) continue;
    draft.keepReview(key, { ...open, tracked: withWaiver(open.tracked, finding) });
  }
}

/** Undefined if a later review counts, or if the verdict did not change. */
function follow(draft: Draft, review: StoredReview): Disposition | undefined {
  if (review.scope.of === "feature") return followFeature(draft, review);
  return review.scope.of === "wave" ? followWave(draft, review, review.scope.wave) : undefined;
}

function followFeature(draft: Draft, review: StoredReview): Disposition | undefined {
  const record = review.scope.of === "feature" ? draft.feature(review.scope.feature) : undefined;
  const ref = record?.reviews[review.kind === "design" ? "design" : "implementation"];
  if (!record || !ref || ref.batch !== review.batch || ref.verdict === review.verdict) return undefined;
  return takeFeatureVerdict(draft, calledOff(draft, record, review), judgedOf(review));
}

function followWave(draft: Draft, review: StoredReview, wave: number): Disposition | undefined {
  const which: WaveReview = review.kind === "dead-code" ? "dead-code" : "cross-check";
  const record = draft.wave(wave);
  const ref = which === "dead-code" ? record?.dead_code : record?.cross_check;
  const isMeant = record?.step === which && ref?.batch === review.batch && ref.verdict !== review.verdict;
  if (!isMeant) return undefined;
  for (const feature of draft.features()) draft.keep(calledOff(draft, feature, review));
  return takeWaveVerdict(draft, wave, which, judgedOf(review));
}

/** Keeps a fix that has already started. */
function calledOff(draft: Draft, known: FeatureRecord, review: StoredReview): FeatureRecord {
  const { fix } = known;
  if (!fix || fix.batch !== batchPath(review.scope, review.batch) || fix.source === "blocker") return known;
  const woken = known.implementation.groups.filter(({ id }) => fix.groups.includes(id));
  if (woken.some(({ status }) => status === "done")) return known;
  dismissFeature(draft, known.feature_name);
  const record = draft.feature(known.feature_name) ?? known;
  if (woken.length === 0) return { ...record, fix: null };
  const { implementation, reviews } = record;
  const groups = implementation.groups.map((group) =>
    fix.groups.includes(group.id) ? { ...group, status: "done" as const } : group,
  );
  // The code has not changed since its review.
  const hash = reviews.implementation?.of ?? null;
  return { ...record, fix: null, implementation: { ...implementation, groups, hash } };
}

/** Pending steering lines stay with the stored batch. */
function judgedOf(review: StoredReview): Judged {
  const { kind, scope, batch, of, inspectors, missing, mended, findings, removed, unresolved, spec_feedback } = review;
  const verdict = review.verdict as ReviewVerdict;
  return {
    review: { kind, scope, batch, of, inspectors, inspections: {}, missing, lost: {}, tracked: [], mended },
    verdict,
    findings,
    audit: {
      scope: headOf(scope),
      verdict,
      verified: findings,
      removed,
      resolved: review.resolved_conflicts,
      unresolved,
      spec_feedback,
      steering: [],
      notes: [],
      roadmap_advisory: [],
    },
  };
}
