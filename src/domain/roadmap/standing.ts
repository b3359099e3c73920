import type { FeatureName } from "../feature/name.ts";
import { type FeatureRecord, type Fix, type Phase, PHASES, type ReviewRef } from "../feature/record.ts";
import { isPassing } from "../review/verdict.ts";

/** True if the review passed and the content has not changed since. */
export const hasPassed = (review: ReviewRef | null, hash: string | null | undefined): boolean =>
  review !== null && review.of === hash && isPassing(review.verdict);

/** True if the code exists, its gate passed and no fix is open. */
export const isBuilt = ({ phase, fix, implementation }: FeatureRecord): boolean =>
  phase === "implementation-complete" && fix === null && implementation.hash !== null;

export const isAccepted = (record: FeatureRecord): boolean =>
  isBuilt(record) && hasPassed(record.reviews.implementation, record.implementation.hash);

type Records = ReadonlyMap<FeatureName, FeatureRecord>;

/**
 * The current design hashes of a feature's dependencies. Uses the recorded hash for a dependency that is skipped or not
 * accepted.
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

export function changedUnder(features: Records, record: FeatureRecord): FeatureName[] {
  if (!isAccepted(record)) return [];
  const now = basisNow(features, record);
  const basis = record.design?.basis ?? {};
  return (Object.keys(now) as FeatureName[]).filter((name) => now[name] !== basis[name]);
}

export function reached({ phase, blocked_info: info }: FeatureRecord): Exclude<Phase, "blocked"> {
  return phase === "blocked" ? (info?.blocked_at_phase ?? "initialized") : phase;
}

/** True if the Architect makes the fix. Group fixes go to Builders, and a blocker leads to new tasks. */
export const isDesignFix = (fix: Fix | null): fix is Fix =>
  fix !== null && fix.groups.length === 0 && fix.source !== "blocker";

export const isDesigned = (record: FeatureRecord): boolean =>
  reached(record) !== "initialized" && !isDesignFix(record.fix);

/** Built features count too, reviewed or not. */
export const isPastDesignReview = (record: FeatureRecord): boolean =>
  isDesigned(record) &&
  (hasPassed(record.reviews.design, record.design?.hash) || reached(record) === "implementation-complete");

export const isBehind = (one: FeatureRecord, other: FeatureRecord): boolean =>
  PHASES.indexOf(reached(one)) < PHASES.indexOf(reached(other));
