import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { FeatureRecord, TaskGroupRecord } from "../feature/feature-record.ts";
import type { ReviewKind } from "../review/review-kinds.ts";
import type {
  AuditResult,
  InspectionResult,
  KnownReviewFinding,
  ReviewFinding,
  StoredReview,
} from "../review/review-finding.ts";
import type { ActionAssignment, ActionId, FeatureGoal, ReviewScope, RoadmapRun } from "./lead-state.ts";

/** A change to the roadmap. `applyLeadEvent` handles each kind and rejects an unexpected event with a reason. */
export type LeadEvent =
  | { readonly kind: "feature-added"; readonly record: FeatureRecord }
  | { readonly kind: "feature-removed"; readonly feature: FeatureName }
  /** A command sets the goal of a feature, or requests that certain tasks are done again. */
  | {
      readonly kind: "wanted";
      readonly feature: FeatureName;
      readonly goal: FeatureGoal;
      readonly tasks?: readonly string[];
      readonly isRedesign?: boolean;
      /** True if the task file is gone and must be planned again. */
      readonly isReplanned?: boolean;
    }
  | ({ readonly kind: "run-begun" } & Pick<RoadmapRun, "isGated" | "cap"> & Partial<Pick<RoadmapRun, "onOverlap">>)
  | { readonly kind: "run-stopped"; readonly why: string }
  | {
      readonly kind: "review-begun";
      readonly review: ReviewKind;
      readonly scope: ReviewScope;
      readonly batch: string;
      readonly of: string;
      readonly tracked: readonly KnownReviewFinding[];
      readonly mended: readonly ReviewFinding[];
      readonly inspectors?: readonly string[];
    }
  | ({ readonly kind: "handed-out"; readonly action: ActionId } & Pick<
      ActionAssignment,
      "session" | "at" | "base" | "estimate"
    >)
  | {
      readonly kind: "reported";
      readonly action: ActionId;
      readonly report: AgentReport;
      readonly facts: ReportFacts;
      readonly tokens?: number;
    }
  | { readonly kind: "lost"; readonly action: ActionId; readonly why: string }
  | { readonly kind: "unblocked"; readonly feature: FeatureName; readonly how: "fix" | "skip" }
  | {
      readonly kind: "placed";
      readonly feature: FeatureName;
      readonly wave: number;
      readonly dependencies: readonly FeatureName[];
      readonly foundation?: boolean;
    }
  | { readonly kind: "revised"; readonly feature: FeatureName; readonly intent: string }
  /** The user waived a finding. `review` is the review with its new verdict. */
  | { readonly kind: "waived"; readonly review: StoredReview; readonly finding: string };

export type EventOf<K extends LeadEvent["kind"]> = Extract<LeadEvent, { kind: K }>;

/** Statements of an agent about its work. */
export type AgentReport =
  | { readonly kind: "architect"; readonly discovery: string; readonly tags: readonly string[] }
  | { readonly kind: "tasks"; readonly tags: readonly string[] }
  | {
      readonly kind: "builder";
      readonly tasks: readonly string[];
      readonly files: readonly string[];
      readonly tests: { readonly passed: number; readonly total: number } | null;
      readonly tags: readonly string[];
    }
  | {
      readonly kind: "builder-blocked";
      readonly blocker: string;
      readonly tasks: readonly string[];
      readonly attempted: string;
      readonly tags?: readonly string[];
    }
  | { readonly kind: "inspection"; readonly inspection: InspectionResult }
  | { readonly kind: "audit"; readonly audit: AuditResult }
  | { readonly kind: "gate" }
  | { readonly kind: "answer"; readonly choice: string; readonly said: string }
  | { readonly kind: "commit"; readonly declined: boolean };

export interface ReportOf<K extends AgentReport["kind"]> {
  readonly report: Extract<AgentReport, { kind: K }>;
  readonly facts: ReportFacts;
}

/** Facts the engine measured itself, independent of the report. */
export interface ReportFacts {
  readonly at: string;
  readonly design?: { readonly hash: string; readonly files: readonly string[]; readonly problems: readonly Problem[] };
  readonly tasks?: {
    readonly hash: string;
    readonly groups: readonly TaskGroupRecord[];
    readonly problems: readonly Problem[];
  };
  readonly build?: BuildFacts;
  readonly frozen?: string;
  readonly commit?: { readonly hash: string; readonly isClean: boolean };
}

export interface BuildFacts {
  readonly hash: string;
  readonly missing: readonly string[];
  /** Files changed since the assignment that belong to no group in progress. */
  readonly outside: readonly string[];
  /** Files of the group that exist or were changed. */
  readonly files: readonly string[];
  readonly tests: TestFacts;
}

export interface TestFacts {
  /**
   * `deferred`: other agents are building, so the feature's gate runs the tests. `waived`: the settings allow it
   * without tests.
   */
  readonly status: "passed" | "failed" | "unknown" | "deferred" | "waived";
  readonly problems: readonly Problem[];
}

/** Work besides storing the state. The operation does it in the same write. */
export type LeadEffect =
  | {
      readonly kind: "decision";
      readonly type: DecisionType;
      readonly summary: string;
      readonly context: string;
      readonly decision: string;
      readonly reason: string;
      readonly impact: string;
      readonly source: string;
      readonly steeringRef?: string;
    }
  | { readonly kind: "steering"; readonly file: string; readonly text: string }
  | {
      readonly kind: "proposal-answered";
      readonly scope: ReviewScope;
      readonly batch: string;
      readonly line: number;
      readonly answer: "approved" | "rejected" | "excepted";
    }
  | { readonly kind: "batch"; readonly batch: StoredReview }
  | { readonly kind: "tasks-done"; readonly feature: FeatureName; readonly tasks: readonly string[] }
  /** Lessons from work on a feature, or from a review of `wave-2` or `all`. */
  | {
      readonly kind: "tags";
      readonly feature: string;
      readonly role: string;
      readonly tags: readonly string[];
      readonly tasks?: readonly string[];
    }
  | { readonly kind: "dismissed"; readonly action: ActionId }
  | { readonly kind: "wave-finished"; readonly wave: number };

export const DECISION_TYPES = [
  "USER_DECISION",
  "STEERING_UPDATE",
  "DIRECTION_CHANGE",
  "ESCALATION_RESOLVED",
  "STEERING_EXCEPTION",
  "SESSION_START",
  "SESSION_END",
] as const;
export type DecisionType = (typeof DECISION_TYPES)[number];

export type LeadEventResult =
  | { readonly kind: "applied"; readonly effects: readonly LeadEffect[] }
  | { readonly kind: "repeated" }
  /** The facts do not confirm it, or it is not pending. The problems are for the reporter. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[]; readonly effects: readonly LeadEffect[] };

export type EventOutcome =
  | { readonly kind: "applied" | "repeated" }
  /** The draft is discarded unless `isKept`. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[]; readonly isKept?: true };

export const EVENT_APPLIED: EventOutcome = { kind: "applied" };
export const EVENT_REPEATED: EventOutcome = { kind: "repeated" };

export const rejectEvent = (...problems: readonly (string | Problem)[]): EventOutcome & { kind: "refused" } => ({
  kind: "refused",
  problems: problems.map((problem) => (typeof problem === "string" ? { problem } : problem)),
});

/** Rejects the event but keeps the state change it revealed. */
export const rejectEventKeepState = (problem: string): EventOutcome => ({ ...rejectEvent(problem), isKept: true });
