import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, SteeringProposal, WaveRecord } from "../feature/feature-record.ts";
import type {
  ReviewFinding,
  InspectionResult,
  KnownReviewFinding,
  ReviewKind,
  StoredReview,
} from "../review/review-finding.ts";
import type { RoadmapRole } from "../agent/agent-roles.ts";

/**
 * The input of every decision. Features and waves are records in the repository. The ledger keeps the rest: if it is
 * lost, work in progress becomes pending again and finished work is not repeated.
 */
export interface Lead {
  readonly features: ReadonlyMap<FeatureName, FeatureRecord>;
  readonly waves: ReadonlyMap<number, WaveRecord>;
  readonly run: RoadmapRun;
  /** Open reviews by scope: `user-login/design`, `wave-2/impl`, `all/dead-code`. */
  readonly reviews: ReadonlyMap<string, OpenReview>;
  readonly out: ReadonlyMap<ActionId, ActionAssignment>;
}

export type FeatureGoal = "design" | "tasks" | "implementation" | "done";

export interface RoadmapRun {
  /** True while `roadmap run` is active: reviews are mandatory and waves have gates. */
  readonly isOn: boolean;
  readonly isGated: boolean;
  readonly stopped: string | null;
  /** Goals of features outside of a run. In a run, the goal of every roadmap feature is `done`. */
  readonly goals: Readonly<Record<string, FeatureGoal>>;
  /** Ids of the questions that the user approved. */
  readonly agreed: readonly string[];
  /** The token limit of the run, and the tokens used so far (reported, else estimated). */
  readonly cap: number | null;
  readonly spent: number;
  readonly onOverlap: "serialise" | "partition";
  /** Steering proposals from reviews of scope `all`, which have no record of their own. */
  readonly proposals?: readonly SteeringProposal[];
  /** Highest batch started outside of features. A void review keeps its number. */
  readonly batches?: number;
  readonly capAnswers?: number;
}

export interface OpenReview {
  readonly kind: ReviewKind;
  readonly scope: ReviewScope;
  readonly batch: string;
  /** Hash of the reviewed content. If it changes before a report arrives, the review is void. */
  readonly of: string;
  readonly inspectors: readonly string[];
  readonly inspections: Readonly<Record<string, InspectionResult>>;
  readonly missing: readonly string[];
  readonly lost: Readonly<Record<string, number>>;
  /** Findings of earlier batches of this scope: still open (`tracked`), or fixed and not to return (`mended`). */
  readonly tracked: readonly KnownReviewFinding[];
  readonly mended: readonly ReviewFinding[];
}

export type ReviewScope = StoredReview["scope"];

export interface ActionAssignment {
  readonly action: LeadAction;
  readonly session: string;
  readonly at: string;
  /** Snapshot tree of the files at assignment. */
  readonly base: string | null;
  readonly estimate: number;
  readonly refusals: number;
  /** Tokens that rejected reports declared; already charged to the run. */
  readonly paid?: number;
}

/** Identifies one action: `user-login/architect/1`, `wave-1/impl/B2/interface`. The same state gives the same ids. */
export type ActionId = string;

export type LeadAction = SpawnAction | GateAction | QuestionAction | CommitAction;

export interface SpawnAction {
  readonly id: ActionId;
  readonly kind: "spawn";
  readonly role: RoadmapRole;
  readonly work: AgentWork;
}

export type AgentWork =
  | { readonly of: "design"; readonly feature: FeatureName; readonly mode: "new" | "existing"; readonly isFix: boolean }
  | {
      readonly of: "tasks";
      readonly feature: FeatureName;
      readonly excluded: readonly string[];
      readonly blocker: string | null;
    }
  | {
      readonly of: "build";
      readonly feature: FeatureName;
      readonly group: string;
      readonly tasks: readonly string[];
      readonly isFix: boolean;
    }
  /** `review` is the key of an open review. Inspectors and the auditor work on one. */
  | { readonly of: "review"; readonly review: string; readonly scope: ReviewScope };

/** The engine runs the checks itself when this is reported. An agent's statement does not count. */
export interface GateAction {
  readonly id: ActionId;
  readonly kind: "gate";
  readonly feature: FeatureName;
}

export type QuestionKind =
  /** Retries are exhausted: fix, skip or abort. */
  | "escalation"
  /** `--gate`: continue after a review, or stop. */
  | "review-passed"
  /** `--gate`: continue with the next wave, or stop. */
  | "wave-passed"
  /** A wave's gate failed three times: proceed or abort. */
  | "wave-failed"
  /** A steering line that affects future work: approve, reject or except. */
  | "steering"
  /** `--gate`: a change of structure: approve or reject. */
  | "structure"
  /** `--gate`: a dependency changed: re-review, re-implement or skip. */
  | "follow-up"
  /** The token limit is reached: raise or stop. */
  | "cap";

export interface QuestionAction {
  readonly id: ActionId;
  readonly kind: "ask";
  readonly question: QuestionKind;
  readonly subject: string;
  readonly choices: readonly string[];
  readonly detail: string;
}

export interface CommitAction {
  readonly id: ActionId;
  readonly kind: "commit";
  readonly message: string;
  readonly wave: number | null;
  readonly features: readonly FeatureName[];
}

export function createEmptyLead(): Lead {
  return {
    features: new Map(),
    waves: new Map(),
    run: {
      isOn: false,
      isGated: false,
      stopped: null,
      goals: {},
      agreed: [],
      cap: null,
      spent: 0,
      onOverlap: "serialise",
    },
    reviews: new Map(),
    out: new Map(),
  };
}
