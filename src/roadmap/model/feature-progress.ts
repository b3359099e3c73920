import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type FeatureRecord,
  type PendingFix,
  type FeaturePhase,
  FEATURE_PHASES,
  type ReviewReference,
} from "./feature/feature-record.ts";
import { isPassingVerdict } from "./review/review-verdict.ts";

/** True if the review passed and the content has not changed since. */
export const hasCurrentPass = (review: ReviewReference | null, hash: string | null | undefined): boolean =>
  review !== null && review.of === hash && isPassingVerdict(review.verdict);

/** True if the code exists, its gate passed and no fix is open. */
export const isFeatureBuilt = ({ phase, fix, implementation }: FeatureRecord): boolean =>
  phase === "implementation-complete" && fix === null && implementation.hash !== null;

export const isFeatureAccepted = (record: FeatureRecord): boolean =>
  isFeatureBuilt(record) && hasCurrentPass(record.reviews.implementation, record.implementation.hash);

type FeatureRecordMap = ReadonlyMap<FeatureName, FeatureRecord>;

/**
 * The current design hashes of a feature's dependencies. Uses the recorded hash for a dependency that is skipped or not
 * accepted.
 */
export function getCurrentBasis(
  features: FeatureRecordMap,
  { roadmap, design }: FeatureRecord,
): Readonly<Record<string, string>> {
  if (!roadmap || !design) return {};
  const known = Object.entries(design.basis).map(([name, hash]) => {
    const other = features.get(name as FeatureName);
    const isCounted = other !== undefined && !roadmap.skipped.includes(other.feature_name) && isFeatureAccepted(other);
    return [name, (isCounted ? other.design?.hash : undefined) ?? hash] as const;
  });
  return Object.fromEntries(known);
}

export function listChangedDependencies(features: FeatureRecordMap, record: FeatureRecord): FeatureName[] {
  if (!isFeatureAccepted(record)) return [];
  const now = getCurrentBasis(features, record);
  const basis = record.design?.basis ?? {};
  return (Object.keys(now) as FeatureName[]).filter((name) => now[name] !== basis[name]);
}

export function getReachedPhase({ phase, blocked_info: info }: FeatureRecord): Exclude<FeaturePhase, "blocked"> {
  return phase === "blocked" ? (info?.blocked_at_phase ?? "initialized") : phase;
}

/** True if the Architect makes the fix. Group fixes go to Builders, and a blocker leads to new tasks. */
export const isDesignFix = (fix: PendingFix | null): fix is PendingFix =>
  fix !== null && fix.groups.length === 0 && fix.source !== "blocker";

export const isFeatureDesigned = (record: FeatureRecord): boolean =>
  getReachedPhase(record) !== "initialized" && !isDesignFix(record.fix);

/** Built features count too, reviewed or not. */
export const isPastDesignReview = (record: FeatureRecord): boolean =>
  isFeatureDesigned(record) &&
  (hasCurrentPass(record.reviews.design, record.design?.hash) || getReachedPhase(record) === "implementation-complete");

export const isBehindFeature = (one: FeatureRecord, other: FeatureRecord): boolean =>
  FEATURE_PHASES.indexOf(getReachedPhase(one)) < FEATURE_PHASES.indexOf(getReachedPhase(other));
