import type { ScanSpan } from "../scan/look.ts";

/** A place where code can be made wrong in one way. The text is what stands there. */
export interface Site extends ScanSpan {
  readonly kind: SiteKind;
}

/**
 * An operator that compares, counts or joins; a literal truth or number; what decides a branch; what a function returns;
 * a statement that only calls.
 */
export type SiteKind = "comparison" | "arithmetic" | "logic" | "boolean" | "number" | "condition" | "return" | "call";
