import { listLessonTags } from "../../../agent/completion-text.ts";
import { callInspectorRoll } from "../../../review/rollcall.ts";
import { findScopeMismatch } from "../../../review/scope.ts";
import { escalateFeature } from "../changes/blocking.ts";
import { MAX_LOST_RUNS } from "../changes/counters.ts";
import { cancelReview } from "../changes/dismissal.ts";
import type { LeadDraft } from "../draft.ts";
import type { ReportFacts } from "../event.ts";
import { AUDITOR_NAME, formatScopeHead, parseReviewerName } from "../ids.ts";
import { voidFeatureDesign } from "../changes/mending.ts";
import type { OpenReview } from "../state.ts";
import {
  rejectLeadEvent,
  EVENT_APPLIED,
  rejectEventKeepState,
  type ReportWithFacts,
  type EventOutcome,
} from "../taken.ts";
import { getFeatureGoal, getLeadView } from "../view.ts";
import { MAX_GATE_TRIES, createWaveRecord, getWaveStep } from "../next/wave.ts";

export function applyInspection(
  draft: LeadDraft,
  key: string,
  { id, report, facts }: ReportWithFacts<"inspection">,
): EventOutcome {
  const review = draft.review(key);
  const name = parseReviewerName(id);
  if (!review) return rejectLeadEvent(`The review ${key} is over.`);
  const isVoid = voidChangedReview(draft, key, review, facts);
  if (isVoid) return isVoid;
  const other = findScopeMismatch(review.scope, report.inspection.scope);
  if (other !== undefined) return rejectLeadEvent(other);
  draft.keepReview(key, { ...review, inspections: { ...review.inspections, [name]: report.inspection } });
  const tags = listLessonTags(report.inspection.notes);
  if (tags.length > 0)
    draft.effect({ kind: "tags", feature: formatScopeHead(review.scope), role: `inspector-${name}`, tags });
  return EVENT_APPLIED;
}

/** Content that changes during its review makes the whole review void. */
export function voidChangedReview(
  draft: LeadDraft,
  key: string,
  review: OpenReview,
  { frozen }: ReportFacts,
): EventOutcome | undefined {
  if (frozen === undefined)
    return rejectLeadEvent(`Nobody looked whether what ${key} is about has changed. Report again.`);
  if (frozen === review.of) return undefined;
  cancelReview(draft, key);
  revokeAcceptance(draft, review);
  return rejectEventKeepState(`What is reviewed was changed meanwhile, so review ${review.batch} of ${key} is void.`);
}

/** In a run, changed content must be accepted again first: a design by an Architect, code by the gate. */
export function revokeAcceptance(draft: LeadDraft, { kind, scope }: Pick<OpenReview, "kind" | "scope">): void {
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (!record || getFeatureGoal(draft.lead(), record) !== "done") return;
  if (kind === "design") draft.keep(voidFeatureDesign(record));
  if (kind === "impl") draft.keep({ ...record, implementation: { ...record.implementation, hash: null } });
}

/**
 * The review continues without an inspector that is lost three times. Without any inspector, or without an auditor, it
 * ends without a verdict.
 */
export function loseReviewerRun(draft: LeadDraft, key: string, who: string): EventOutcome {
  const review = draft.review(key);
  if (!review) return rejectLeadEvent(`The review ${key} is over.`);
  const times = (review.lost[who] ?? 0) + 1;
  const isGone = times >= MAX_LOST_RUNS;
  const missing = isGone && who !== AUDITOR_NAME ? [...review.missing, who] : review.missing;
  const next = { ...review, lost: { ...review.lost, [who]: times }, missing };
  draft.keepReview(key, next);
  const { reported, isOver } = callInspectorRoll(next);
  if ((isGone && who === AUDITOR_NAME) || (isOver && reported.length === 0)) abandonReview(draft, key, next, who);
  return EVENT_APPLIED;
}

function abandonReview(draft: LeadDraft, key: string, review: OpenReview, who: string): void {
  const { scope, batch } = review;
  const what = who === AUDITOR_NAME ? `the auditor was lost ${MAX_LOST_RUNS} times` : "all inspectors were lost";
  const step = getWaveStep(getLeadView(draft.base));
  cancelReview(draft, key);
  if (scope.of === "feature") escalateFeature(draft, scope.feature, `Review ${batch} came to nothing: ${what}.`);
  if (scope.of !== "wave" || step?.kind !== "review" || getLeadView(draft.base).openWave !== scope.wave) return;
  const record = draft.wave(scope.wave) ?? createWaveRecord(scope.wave);
  const tries = step.review === "cross-check" ? { cross_check: MAX_GATE_TRIES } : { dead_code: MAX_GATE_TRIES };
  draft.keepWave({ ...record, tries: { ...record.tries, ...tries } });
}
