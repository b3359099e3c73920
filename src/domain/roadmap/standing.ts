import { type FeatureRecord, type Phase, PHASES, type ReviewRef } from "../feature/record.ts";

/** Whether this was reviewed as it is, and may go on. */
export const hasPassed = (review: ReviewRef | null, hash: string | null | undefined): boolean =>
  review !== null && review.of === hash && (review.verdict === "GO" || review.verdict === "CONDITIONAL");

/** Whether the code is there, its gate let it pass, and nothing has to be mended. */
export const isBuilt = ({ phase, fix, implementation }: FeatureRecord): boolean =>
  phase === "implementation-complete" && fix === null && implementation.hash !== null;

/** Whether it is built and was accepted as it is by a review. */
export const isAccepted = (record: FeatureRecord): boolean =>
  isBuilt(record) && hasPassed(record.reviews.implementation, record.implementation.hash);

/** How far it has come, blocked or not. */
export function reached({ phase, blocked_info: info }: FeatureRecord): Exclude<Phase, "blocked"> {
  return phase === "blocked" ? (info?.blocked_at_phase ?? "initialized") : phase;
}

/** Whether one has not come as far as another. */
export const isBehind = (one: FeatureRecord, other: FeatureRecord): boolean =>
  PHASES.indexOf(reached(one)) < PHASES.indexOf(reached(other));
