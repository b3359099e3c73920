import type { FeatureName } from "../../feature/name.ts";
import type { FeatureRecord, Proposal, ReviewRef } from "../../feature/record.ts";
import type { Finding, Inspection, KnownFinding, ReviewKind } from "../../review/finding.ts";
import type { Action, ActionId } from "./action.ts";

/**
 * All that the Lead decides by. Features and waves are records in the repository; the rest is under way and kept by the
 * ledger: where that is lost, what was under way is due again, and nothing that is done is repeated.
 */
export interface Lead {
  readonly features: ReadonlyMap<FeatureName, FeatureRecord>;
  readonly waves: ReadonlyMap<number, WaveRecord>;
  readonly run: Run;
  /** Reviews that have begun, by their scope: `user-login/design`, `wave-2/impl`, `all/dead-code`. */
  readonly reviews: ReadonlyMap<string, OpenReview>;
  /** What somebody is at work on. */
  readonly out: ReadonlyMap<ActionId, HandedOut>;
}

/** How far a feature is to be brought: by a command of its own, or by the run of the roadmap. */
export type Goal = "design" | "tasks" | "implementation" | "done";

export interface Run {
  /** Whether `roadmap run` is under way: then reviews are mandatory and waves have their gates. */
  readonly isOn: boolean;
  /** Whether the user wants to be asked after each review and each wave. */
  readonly isGated: boolean;
  /** Why it was stopped, where it was. */
  readonly stopped: string | null;
  /** The goals of features outside of a run; a run's goal is `done` for every feature of the roadmap. */
  readonly goals: Readonly<Record<string, Goal>>;
  /** What the user was asked and agreed to, by the id of the question. */
  readonly agreed: readonly string[];
  /** Tokens that the run may cost, and has cost as far as was reported or estimated. */
  readonly cap: number | null;
  readonly spent: number;
  /** What is done where two features of a wave claim one file. */
  readonly onOverlap: "serialise" | "partition";
  /** Steering lines of reviews of everything, which have no record to wait in. */
  readonly proposals?: readonly Proposal[];
  /** The highest batch outside of features that has begun: a void review keeps its number. */
  readonly batches?: number;
  /** How often the user was asked about the cap. */
  readonly capAnswers?: number;
}

/** The gate of a wave: the content of `sdd/waves/<n>.yaml`. */
export interface WaveRecord {
  readonly wave: number;
  readonly step: "cross-check" | "dead-code" | "commit" | "done" | "aborted";
  /** How often each was tried and said no, at most 3. */
  readonly tries: { readonly cross_check: number; readonly dead_code: number };
  readonly cross_check: ReviewRef | null;
  readonly dead_code: ReviewRef | null;
  /** What the user let pass. */
  readonly proceeded: readonly ("cross-check" | "dead-code")[];
  /** How many runs have ended, by name, as of a feature. */
  readonly runs: Readonly<Record<string, number>>;
  readonly schema: 1;
  readonly rev: number;
}

/** A review that has begun and has no verdict yet. */
export interface OpenReview {
  readonly kind: ReviewKind;
  readonly scope: Scope;
  /** The batch that it will be. */
  readonly batch: string;
  /** The hash of what is reviewed: if it is another when somebody reports, the review is void. */
  readonly of: string;
  readonly inspectors: readonly string[];
  readonly inspections: Readonly<Record<string, Inspection>>;
  /** Inspectors who were lost for good: the auditor is told. */
  readonly missing: readonly string[];
  /** How often each was lost, by name. */
  readonly lost: Readonly<Record<string, number>>;
  /** What earlier batches of this scope found: what is open still, and what was mended and must not come back. */
  readonly tracked: readonly KnownFinding[];
  readonly mended: readonly Finding[];
}

/** What a review is about. */
export type Scope =
  | { readonly of: "feature"; readonly feature: FeatureName; readonly tasks?: readonly string[] }
  | { readonly of: "wave"; readonly wave: number }
  | { readonly of: "all" };

export interface HandedOut {
  readonly action: Action;
  readonly session: string;
  readonly at: string;
  /** The files as they were when it was handed out, as a tree. */
  readonly base: string | null;
  /** Tokens that its brief was estimated at. */
  readonly estimate: number;
  /** Reports that the facts did not bear out. */
  readonly refusals: number;
  /** Tokens that those said it had cost; the run has paid for them. */
  readonly paid?: number;
}
