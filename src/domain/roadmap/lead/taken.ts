import type { Problem } from "../../gate/verdict.ts";
import type { ReportFacts, LeadEvent, AgentReport } from "./event.ts";

export type EventOutcome =
  | { readonly kind: "applied" }
  | { readonly kind: "repeated" }
  /** The draft is discarded unless `isKept`. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[]; readonly isKept?: true };

export const EVENT_APPLIED: EventOutcome = { kind: "applied" };
export const EVENT_REPEATED: EventOutcome = { kind: "repeated" };

export const rejectLeadEvent = (...problems: readonly (string | Problem)[]): EventOutcome => ({
  kind: "refused",
  problems: problems.map((problem) => (typeof problem === "string" ? { problem } : problem)),
});

/** Rejects the event but keeps the state change it revealed. */
export const rejectEventKeepState = (...problems: readonly string[]): EventOutcome => ({
  kind: "refused",
  problems: problems.map((problem) => ({ problem })),
  isKept: true,
});

export interface ReportWithFacts<K extends AgentReport["kind"]> {
  readonly id: string;
  readonly report: Extract<AgentReport, { kind: K }>;
  readonly facts: ReportFacts;
}

export type LeadEventOfKind<K extends LeadEvent["kind"]> = Extract<LeadEvent, { kind: K }>;
