export const DELTA_OPS = ["added", "modified", "removed", "renamed"] as const;
export type DeltaOp = (typeof DELTA_OPS)[number];

export const MERGE_DECISIONS = ["document", "change"] as const;
export type MergeDecision = (typeof MERGE_DECISIONS)[number];

export const MERGE_OUTCOMES = ["applied", "same", "merged", ...MERGE_DECISIONS] as const;
export type MergeOutcome = (typeof MERGE_OUTCOMES)[number];

/** Requirements marked `wont` keep their ids. */
export const REQUIREMENT_PRIORITIES = ["must", "should", "could", "wont"] as const;
export type RequirementPriority = (typeof REQUIREMENT_PRIORITIES)[number];
