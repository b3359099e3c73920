export const DELTA_OPS = ["added", "modified", "removed", "renamed"] as const;
export type DeltaOp = (typeof DELTA_OPS)[number];

export const DECISIONS = ["document", "change"] as const;
export type Decision = (typeof DECISIONS)[number];

export const OUTCOMES = ["applied", "same", "merged", ...DECISIONS] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Requirements marked `wont` keep their ids. */
export const PRIORITIES = ["must", "should", "could", "wont"] as const;
export type Priority = (typeof PRIORITIES)[number];
