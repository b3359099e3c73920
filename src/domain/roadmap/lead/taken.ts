import type { Problem } from "../../gate/verdict.ts";
import type { Facts, LeadEvent, Report } from "./event.ts";

export type Taken =
  | { readonly kind: "applied" }
  | { readonly kind: "repeated" }
  /** The draft is discarded unless `isKept`. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[]; readonly isKept?: true };

export const APPLIED: Taken = { kind: "applied" };
export const REPEATED: Taken = { kind: "repeated" };

export const refuse = (...problems: readonly (string | Problem)[]): Taken => ({
  kind: "refused",
  problems: problems.map((problem) => (typeof problem === "string" ? { problem } : problem)),
});

/** Rejects the event but keeps the state change it revealed. */
export const refuseAndKeep = (...problems: readonly string[]): Taken => ({
  kind: "refused",
  problems: problems.map((problem) => ({ problem })),
  isKept: true,
});

export interface Reported<K extends Report["kind"]> {
  readonly id: string;
  readonly report: Extract<Report, { kind: K }>;
  readonly facts: Facts;
}

export type EventOf<K extends LeadEvent["kind"]> = Extract<LeadEvent, { kind: K }>;
