import type { Role } from "../../agent/role.ts";
import type { FeatureName } from "../../feature/name.ts";
import type { Scope } from "./state.ts";

/** Names one thing to do, once: `user-login/architect/1`, `wave-1/impl/B2/interface`. The same state gives the same ids. */
export type ActionId = string;

/** What is due now. */
export type Action = Spawn | RunGate | Ask | Commit;

/** Somebody is asked to be this role, with a brief made from this. */
export interface Spawn {
  readonly id: ActionId;
  readonly kind: "spawn";
  readonly role: Role;
  readonly work: Work;
}

export type Work =
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
  /** `review` is the key of an open review; inspectors and the auditor work on one. */
  | { readonly of: "review"; readonly review: string; readonly scope: Scope };

/** The engine runs the checks itself when this is reported; nobody's word counts. */
export interface RunGate {
  readonly id: ActionId;
  readonly kind: "gate";
  readonly feature: FeatureName;
}

export type Question =
  /** Retries are exhausted: fix, skip or abort. */
  | "escalation"
  /** `--gate`: go on after a review, or stop. */
  | "review-passed"
  /** `--gate`: go on to the next wave, or stop. */
  | "wave-passed"
  /** A wave's gate said no three times: proceed or abort. */
  | "wave-failed"
  /** A steering line that changes what is to come: approve, reject or except. */
  | "steering"
  /** `--gate`: a change of structure: approve or reject. */
  | "structure"
  /** `--gate`: what it is built on is another by now: re-review, re-implement or skip. */
  | "follow-up"
  /** The tokens that the run may cost are used up: raise or stop. */
  | "cap";

/** The user is asked; an agent passes the answer on in the user's words. */
export interface Ask {
  readonly id: ActionId;
  readonly kind: "ask";
  readonly question: Question;
  readonly subject: string;
  readonly choices: readonly string[];
  /** What it is about, in a line or two. */
  readonly detail: string;
}

/** A commit is offered; it may be declined. */
export interface Commit {
  readonly id: ActionId;
  readonly kind: "commit";
  readonly message: string;
  readonly wave: number | null;
  readonly features: readonly FeatureName[];
}
