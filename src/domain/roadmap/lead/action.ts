import type { RoadmapRole } from "../../agent/role.ts";
import type { FeatureName } from "../../feature/name.ts";
import type { ReviewScope } from "./state.ts";

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
