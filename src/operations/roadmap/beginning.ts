import type { ReviewFinding } from "#domain/review/finding.ts";
import { normalizeInspectorName } from "#domain/review/rollcall.ts";
import { decideNextActions, type PendingReview } from "#domain/roadmap/lead/decide.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import { createReviewKey } from "#domain/roadmap/lead/ids.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import { loadReviewHistory } from "./batches.ts";
import { hashReviewedContent } from "./facts/hashes.ts";

export interface ReviewToStart {
  readonly key: string;
  readonly event: LeadEvent;
}

export async function prepareReviews(engine: ReviewStartEngine, lead: Lead): Promise<ReviewToStart[]> {
  const begun: ReviewToStart[] = [];
  for (const due of decideNextActions(lead).reviews) begun.push(await prepareReview(engine, lead, due));
  return begun;
}

type ReviewStartEngine = Pick<Engine, "source" | "digest" | "store">;

export async function prepareReview(
  engine: ReviewStartEngine,
  lead: Lead,
  { review, scope }: PendingReview,
  inspectors?: readonly string[],
): Promise<ReviewToStart> {
  const of = await hashReviewedContent(engine, lead, { kind: review, scope });
  const { batch, tracked, mended } = await engine.store.read((tree) => loadReviewHistory(tree, lead, review, scope));
  // A finding that no selected inspector looks for must not count as fixed.
  const concerns = ({ sources }: ReviewFinding): boolean =>
    inspectors === undefined || sources.some((name) => inspectors.includes(normalizeInspectorName(review, name)));
  const known = { batch, tracked: tracked.filter(concerns), mended: mended.filter(concerns) };
  const who = inspectors === undefined ? {} : { inspectors };
  return { key: createReviewKey(review, scope), event: { kind: "review-begun", review, scope, of, ...known, ...who } };
}
