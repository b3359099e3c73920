// The words that stored deltas are made of, apart from what is done with them.

export const DELTA_OPS = ["added", "modified", "removed", "renamed"] as const;
export type DeltaOp = (typeof DELTA_OPS)[number];

export const DECISIONS = ["document", "change"] as const;
/** Whose word holds where both changed the same thing. */
export type Decision = (typeof DECISIONS)[number];

export const OUTCOMES = ["applied", "same", "merged", ...DECISIONS] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How much a requirement matters; what is not to be done keeps its id too. */
export const PRIORITIES = ["must", "should", "could", "wont"] as const;
export type Priority = (typeof PRIORITIES)[number];
