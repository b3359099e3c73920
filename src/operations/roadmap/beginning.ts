import type { Finding } from "#domain/review/finding.ts";
import { nameOfInspector } from "#domain/review/rollcall.ts";
import { decide, type ReviewDue } from "#domain/roadmap/lead/decide.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import { reviewKey } from "#domain/roadmap/lead/ids.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import { knownBefore } from "./batches.ts";
import { frozenHash } from "./facts/hashes.ts";

export interface BeginningReview {
  readonly key: string;
  readonly event: LeadEvent;
}

export async function reviewsToBegin(engine: Looking, lead: Lead): Promise<BeginningReview[]> {
  const begun: BeginningReview[] = [];
  for (const due of decide(lead).reviews) begun.push(await toBegin(engine, lead, due));
  return begun;
}

type Looking = Pick<Engine, "source" | "digest" | "store">;

export async function toBegin(
  engine: Looking,
  lead: Lead,
  { review, scope }: ReviewDue,
  inspectors?: readonly string[],
): Promise<BeginningReview> {
  const of = await frozenHash(engine, lead, { kind: review, scope });
  const { batch, tracked, mended } = await engine.store.read((tree) => knownBefore(tree, lead, review, scope));
  // A finding that no selected inspector looks for must not count as fixed.
  const concerns = ({ sources }: Finding): boolean =>
    inspectors === undefined || sources.some((name) => inspectors.includes(nameOfInspector(review, name)));
  const known = { batch, tracked: tracked.filter(concerns), mended: mended.filter(concerns) };
  const who = inspectors === undefined ? {} : { inspectors };
  return { key: reviewKey(review, scope), event: { kind: "review-begun", review, scope, of, ...known, ...who } };
}
