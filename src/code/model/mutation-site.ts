import type { ScanSpan } from "./scan/code-scan.ts";

/** A position where one small change makes the code wrong, with its current text. */
export type MutationSite = ScanSpan & Readonly<{ kind: MutationKind }>;

export type MutationKind =
  | "comparison"
  | "arithmetic"
  | "logic"
  | "boolean"
  | "number"
  | "condition"
  | "return"
  | "call"
  | "body"
  | "assignment"
  | "string";
