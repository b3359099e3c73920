import type { ScanSpan } from "../scan/look.ts";

/** A position where one small change makes the code wrong, with its current text. */
export interface Site extends ScanSpan {
  readonly kind: SiteKind;
}

export type SiteKind = "comparison" | "arithmetic" | "logic" | "boolean" | "number" | "condition" | "return" | "call";
