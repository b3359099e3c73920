import type { FeatureName } from "../feature/name.ts";
import { type FeatureRecord, type Fix, type Phase, PHASES, type ReviewRef } from "../feature/record.ts";
import { isPassing } from "../review/verdict.ts";

/** Whether this was reviewed as it is, and may go on. */
export const hasPassed = (review: ReviewRef | null, hash: string | null | undefined): boolean =>
  review !== null && review.of === hash && isPassing(review.verdict);

/** Whether the code is there, its gate let it pass, and nothing has to be mended. */
export const isBuilt = ({ phase, fix, implementation }: FeatureRecord): boolean =>
  phase === "implementation-complete" && fix === null && implementation.hash !== null;

/** Whether it is built and was accepted as it is by a review. */
export const isAccepted = (record: FeatureRecord): boolean =>
  isBuilt(record) && hasPassed(record.reviews.implementation, record.implementation.hash);

type Records = ReadonlyMap<FeatureName, FeatureRecord>;

/**
 * The designs that a feature builds on, as they are now where they are built and accepted. What was accepted on another
 * one of them was not looked at with what is there by now.
 */
export function basisNow(features: Records, { roadmap, design }: FeatureRecord): Readonly<Record<string, string>> {
  if (!roadmap || !design) return {};
  const known = Object.entries(design.basis).map(([name, hash]) => {
    const other = features.get(name as FeatureName);
    const isCounted = other !== undefined && !roadmap.skipped.includes(other.feature_name) && isAccepted(other);
    return [name, (isCounted ? other.design?.hash : undefined) ?? hash] as const;
  });
  return Object.fromEntries(known);
}

/** Those that a feature is built on and that became others since. */
export function changedUnder(features: Records, record: FeatureRecord): FeatureName[] {
  if (!isAccepted(record)) return [];
  const now = basisNow(features, record);
  const basis = record.design?.basis ?? {};
  return (Object.keys(now) as FeatureName[]).filter((name) => now[name] !== basis[name]);
}

/** How far it has come, blocked or not. */
export function reached({ phase, blocked_info: info }: FeatureRecord): Exclude<Phase, "blocked"> {
  return phase === "blocked" ? (info?.blocked_at_phase ?? "initialized") : phase;
}

/** Whether the Architect mends it: no group does, and it is no blocker, around which tasks are planned anew. */
export const isDesignFix = (fix: Fix | null): fix is Fix =>
  fix !== null && fix.groups.length === 0 && fix.source !== "blocker";

/** Whether its design is there, and nothing of that has to be mended. */
export const isDesigned = (record: FeatureRecord): boolean =>
  reached(record) !== "initialized" && !isDesignFix(record.fix);

/** Whether nobody has to review its design any more: what is built is past that, reviewed or not. */
export const isPastDesignReview = (record: FeatureRecord): boolean =>
  isDesigned(record) &&
  (hasPassed(record.reviews.design, record.design?.hash) || reached(record) === "implementation-complete");

/** Whether one has not come as far as another. */
export const isBehind = (one: FeatureRecord, other: FeatureRecord): boolean =>
  PHASES.indexOf(reached(one)) < PHASES.indexOf(reached(other));
