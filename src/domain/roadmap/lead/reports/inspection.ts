import { tagsIn } from "../../../agent/completion-text.ts";
import { rollCall } from "../../../review/rollcall.ts";
import { scopeProblem } from "../../../review/scope.ts";
import { escalate } from "../changes/blocking.ts";
import { MOST_LOST } from "../changes/counters.ts";
import { dropReview } from "../changes/dismissal.ts";
import type { Draft } from "../draft.ts";
import type { Facts } from "../event.ts";
import { AUDITOR, headOf, reviewerOf } from "../ids.ts";
import { withDesignVoid } from "../changes/mending.ts";
import type { OpenReview } from "../state.ts";
import { refuse, APPLIED, refuseAndKeep, type Reported, type Taken } from "../taken.ts";
import { aimOf, viewOf } from "../view.ts";
import { MOST_TRIES, newWave, waveStepOf } from "../next/wave.ts";

export function takeInspection(draft: Draft, key: string, { id, report, facts }: Reported<"inspection">): Taken {
  const review = draft.review(key);
  const name = reviewerOf(id);
  if (!review) return refuse(`The review ${key} is over.`);
  const isVoid = voidIfChanged(draft, key, review, facts);
  if (isVoid) return isVoid;
  const other = scopeProblem(review.scope, report.inspection.scope);
  if (other !== undefined) return refuse(other);
  draft.keepReview(key, { ...review, inspections: { ...review.inspections, [name]: report.inspection } });
  const tags = tagsIn(report.inspection.notes);
  if (tags.length > 0) draft.effect({ kind: "tags", feature: headOf(review.scope), role: `inspector-${name}`, tags });
  return APPLIED;
}

/** Content that changes during its review makes the whole review void. */
export function voidIfChanged(draft: Draft, key: string, review: OpenReview, { frozen }: Facts): Taken | undefined {
  if (frozen === undefined) return refuse(`Nobody looked whether what ${key} is about has changed. Report again.`);
  if (frozen === review.of) return undefined;
  dropReview(draft, key);
  takeBack(draft, review);
  return refuseAndKeep(`What is reviewed was changed meanwhile, so review ${review.batch} of ${key} is void.`);
}

/** In a run, changed content must be accepted again first: a design by an Architect, code by the gate. */
export function takeBack(draft: Draft, { kind, scope }: Pick<OpenReview, "kind" | "scope">): void {
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (!record || aimOf(draft.lead(), record) !== "done") return;
  if (kind === "design") draft.keep(withDesignVoid(record));
  if (kind === "impl") draft.keep({ ...record, implementation: { ...record.implementation, hash: null } });
}

/**
 * The review continues without an inspector that is lost three times. Without any inspector, or without an auditor, it
 * ends without a verdict.
 */
export function loseReviewer(draft: Draft, key: string, who: string): Taken {
  const review = draft.review(key);
  if (!review) return refuse(`The review ${key} is over.`);
  const times = (review.lost[who] ?? 0) + 1;
  const isGone = times >= MOST_LOST;
  const missing = isGone && who !== AUDITOR ? [...review.missing, who] : review.missing;
  const next = { ...review, lost: { ...review.lost, [who]: times }, missing };
  draft.keepReview(key, next);
  const { reported, isOver } = rollCall(next);
  if ((isGone && who === AUDITOR) || (isOver && reported.length === 0)) giveUp(draft, key, next, who);
  return APPLIED;
}

function giveUp(draft: Draft, key: string, review: OpenReview, who: string): void {
  const { scope, batch } = review;
  const what = who === AUDITOR ? `the auditor was lost ${MOST_LOST} times` : "all inspectors were lost";
  const step = waveStepOf(viewOf(draft.base));
  dropReview(draft, key);
  if (scope.of === "feature") escalate(draft, scope.feature, `Review ${batch} came to nothing: ${what}.`);
  if (scope.of !== "wave" || step?.kind !== "review" || viewOf(draft.base).openWave !== scope.wave) return;
  const record = draft.wave(scope.wave) ?? newWave(scope.wave);
  const tries = step.review === "cross-check" ? { cross_check: MOST_TRIES } : { dead_code: MOST_TRIES };
  draft.keepWave({ ...record, tries: { ...record.tries, ...tries } });
}
