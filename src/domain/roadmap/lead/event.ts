import type { FeatureName } from "../../feature/name.ts";
import type { FeatureRecord, GroupRecord } from "../../feature/record.ts";
import type { Problem } from "../../gate/verdict.ts";
import type { Audit, Finding, Inspection, KnownFinding, ReviewKind } from "../../review/finding.ts";
import type { ActionId } from "./action.ts";
import type { Goal, Run, Scope } from "./state.ts";

/** Something that happened to the roadmap. `apply` takes each; whatever it does not expect it refuses, saying why. */
export type LeadEvent =
  | { readonly kind: "feature-added"; readonly record: FeatureRecord }
  | { readonly kind: "feature-removed"; readonly feature: FeatureName }
  /** A command asked that a feature be brought so far, or certain tasks of it be done again. */
  | {
      readonly kind: "wanted";
      readonly feature: FeatureName;
      readonly goal: Goal;
      readonly tasks?: readonly string[];
      readonly isRedesign?: boolean;
      /** Its tasks are gone, and are planned anew. */
      readonly isReplanned?: boolean;
    }
  | {
      readonly kind: "run-begun";
      readonly isGated: boolean;
      readonly cap: number | null;
      readonly onOverlap?: Run["onOverlap"];
    }
  | { readonly kind: "run-stopped"; readonly why: string }
  | {
      readonly kind: "review-begun";
      readonly review: ReviewKind;
      readonly scope: Scope;
      readonly batch: string;
      readonly of: string;
      readonly tracked: readonly KnownFinding[];
      readonly mended: readonly Finding[];
      /** Who looks, where it is not everybody whom such a review has. */
      readonly inspectors?: readonly string[];
    }
  | {
      readonly kind: "handed-out";
      readonly action: ActionId;
      readonly session: string;
      readonly at: string;
      readonly base: string | null;
      readonly estimate: number;
    }
  | {
      readonly kind: "reported";
      readonly action: ActionId;
      readonly report: Report;
      readonly facts: Facts;
      readonly tokens?: number;
    }
  /** Whoever was at work on it is gone. */
  | { readonly kind: "lost"; readonly action: ActionId; readonly why: string }
  | { readonly kind: "unblocked"; readonly feature: FeatureName; readonly how: "fix" | "skip" }
  | {
      readonly kind: "placed";
      readonly feature: FeatureName;
      readonly wave: number;
      readonly dependencies: readonly FeatureName[];
      /** As it was, where nobody says. */
      readonly foundation?: boolean;
    }
  | { readonly kind: "revised"; readonly feature: FeatureName; readonly intent: string }
  /** The user let a finding of a review stand; the review as it is judged anew. */
  | { readonly kind: "waived"; readonly review: StoredReview; readonly finding: string };

/** What somebody says was done. */
export type Report =
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
  | { readonly kind: "inspection"; readonly inspection: Inspection }
  | { readonly kind: "audit"; readonly audit: Audit }
  | { readonly kind: "gate" }
  | { readonly kind: "answer"; readonly choice: string; readonly said: string }
  | { readonly kind: "commit"; readonly declined: boolean };

/** What the engine found out itself, whatever the report says. */
export interface Facts {
  readonly at: string;
  /** `design.md` and `research.md` as they are. */
  readonly design?: { readonly hash: string; readonly files: readonly string[]; readonly problems: readonly Problem[] };
  /** `tasks.yaml` as it is. */
  readonly tasks?: {
    readonly hash: string;
    readonly groups: readonly GroupRecord[];
    readonly problems: readonly Problem[];
  };
  readonly build?: {
    /** Of the feature's files as they are. */
    readonly hash: string;
    readonly missing: readonly string[];
    /** Changed since it was handed out, and nobody's who is at work. */
    readonly outside: readonly string[];
    /** Files of the group that are there, or were changed. */
    readonly files: readonly string[];
    readonly tests: TestFacts;
  };
  /** The hash of what is reviewed, as it is now. */
  readonly frozen?: string;
  readonly commit?: { readonly hash: string; readonly isClean: boolean };
}

export interface TestFacts {
  /** `deferred` while others build: the feature's gate runs them. `waived` where the settings do without. */
  readonly status: "passed" | "failed" | "unknown" | "deferred" | "waived";
  readonly problems: readonly Problem[];
}

/** What has to be done besides keeping the state; the operation does it in the same write. */
export type Effect =
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
  /** A line is written into a steering file. */
  | { readonly kind: "steering"; readonly file: string; readonly text: string }
  /** The user answered a line that waited: the batch that holds it says so. */
  | {
      readonly kind: "proposal-answered";
      readonly scope: Scope;
      readonly batch: string;
      readonly line: number;
      readonly answer: "approved" | "rejected" | "excepted";
    }
  /** A review is over: its batch is stored. */
  | { readonly kind: "batch"; readonly batch: StoredReview }
  | { readonly kind: "tasks-done"; readonly feature: FeatureName; readonly tasks: readonly string[] }
  /** What somebody learned at a feature, or at a review of `wave-2` or `all`. */
  | {
      readonly kind: "tags";
      readonly feature: string;
      readonly role: string;
      readonly tags: readonly string[];
      readonly tasks?: readonly string[];
    }
  /** Somebody at work is told to stop. */
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

/** What `reviews/B<n>.yaml` holds; `domain/review/batch.ts` makes it. */
export interface StoredReview {
  readonly batch: string;
  readonly kind: ReviewKind;
  readonly scope: Scope;
  readonly at: string;
  readonly of: string;
  readonly verdict: string;
  readonly computed: string;
  readonly override: { readonly verdict: string; readonly reason: string } | null;
  readonly disposition: string;
  readonly counts: Readonly<Record<"C" | "H" | "M" | "L", number>>;
  readonly inspectors: readonly string[];
  readonly missing: readonly string[];
  readonly findings: readonly StoredFinding[];
  readonly removed: Audit["removed"];
  readonly resolved_conflicts: Audit["resolved"];
  readonly unresolved: readonly string[];
  readonly spec_feedback: Audit["spec_feedback"];
  readonly steering: readonly (Audit["steering"][number] & {
    readonly answer: "applied" | "waiting" | "approved" | "rejected" | "excepted";
  })[];
  /** Findings of earlier batches that are not there any more. */
  readonly mended: readonly Finding[];
  readonly notes: readonly string[];
}

export interface StoredFinding extends KnownFinding {
  /** As `F3`. */
  readonly id: string;
  /** Found before and still there; found before, mended, and there again; or neither. */
  readonly seen: "new" | "tracked" | "regression";
}

/** What became of an event. */
export type Applied =
  | { readonly kind: "applied"; readonly effects: readonly Effect[] }
  /** It was taken before: nothing changes. */
  | { readonly kind: "repeated" }
  /** The facts do not bear it out, or it is not due; the reasons are for whoever reported. */
  | { readonly kind: "refused"; readonly problems: readonly Problem[]; readonly effects: readonly Effect[] };
