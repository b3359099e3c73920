import type { FeatureRecord, ReviewRef } from "../feature/record.ts";

/** Whether this was reviewed as it is, and may go on. */
export const hasPassed = (review: ReviewRef | null, hash: string | null | undefined): boolean =>
  review !== null && review.of === hash && (review.verdict === "GO" || review.verdict === "CONDITIONAL");

/** Whether the code is there and nothing has to be mended. */
export const isBuilt = ({ phase, fix }: FeatureRecord): boolean => phase === "implementation-complete" && fix === null;

/** Whether it is built and was accepted as it is by a review. */
export const isAccepted = (record: FeatureRecord): boolean =>
  isBuilt(record) && hasPassed(record.reviews.implementation, record.implementation.hash);
