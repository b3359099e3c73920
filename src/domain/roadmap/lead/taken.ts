import type { Problem } from "../../gate/verdict.ts";
import type { Facts, LeadEvent, Report } from "./event.ts";

/** What became of an event, before it is told. */
export type Taken =
  | { readonly kind: "applied" }
  | { readonly kind: "repeated" }
  /** Nothing of it is kept, unless it says so. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[]; readonly isKept?: true };

export const APPLIED: Taken = { kind: "applied" };
export const REPEATED: Taken = { kind: "repeated" };

export const refuse = (...problems: readonly (string | Problem)[]): Taken => ({
  kind: "refused",
  problems: problems.map((problem) => (typeof problem === "string" ? { problem } : problem)),
});

/** It is not taken, but what it showed of the state is. */
export const refuseAndKeep = (...problems: readonly string[]): Taken => ({
  kind: "refused",
  problems: problems.map((problem) => ({ problem })),
  isKept: true,
});

/** A report of one kind, with what the engine found. */
export interface Reported<K extends Report["kind"]> {
  readonly id: string;
  readonly report: Extract<Report, { kind: K }>;
  readonly facts: Facts;
}

export type EventOf<K extends LeadEvent["kind"]> = Extract<LeadEvent, { kind: K }>;
