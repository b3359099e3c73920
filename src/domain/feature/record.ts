import type { Disposition, ReviewVerdict } from "../review/finding.ts";
import type { FeatureName } from "./name.ts";

/** How far a feature has come. A blocked one remembers how far that was. */
export const PHASES = ["initialized", "design-generated", "implementation-complete", "blocked"] as const;
export type Phase = (typeof PHASES)[number];

export const LAST_ACTIONS = ["tasks-generated", "impl-complete"] as const;
type LastAction = (typeof LAST_ACTIONS)[number];

/** Why a feature is blocked: one that it builds on failed, or it failed itself. */
export const BLOCK_REASONS = ["upstream_failure", "retries_exhausted"] as const;
type BlockReason = (typeof BLOCK_REASONS)[number];

/** The content of `spec.yaml`: all that the Lead has to know of a feature. Only the engine writes it. */
export interface FeatureRecord {
  readonly feature_name: FeatureName;
  readonly description: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Of the documents, as `en`. */
  readonly language: string;
  /** Grows by a minor number each time an accepted design is designed anew. */
  readonly version: string;
  readonly changelog: readonly Changed[];
  /** The version at which each was last made. */
  readonly version_refs: { readonly design: string | null; readonly implementation: string | null };
  readonly phase: Phase;
  readonly design: AcceptedDesign | null;
  readonly implementation: Implementation;
  readonly orchestration: Orchestration;
  readonly blocked_info: BlockedInfo | null;
  /** Nothing for a feature that stands alone. */
  readonly roadmap: Placed | null;
  /** The last review of each kind. */
  readonly reviews: { readonly design: ReviewRef | null; readonly implementation: ReviewRef | null };
  /** What has to be mended, and what says so. Architects mend designs, Builders the groups that are named. */
  readonly fix: Fix | null;
  readonly schema: 1;
  readonly rev: number;
}

interface Changed {
  readonly version: string;
  /** As `design`, `redesign`, `tasks`, `implementation`, `spec-update`, `revise`. */
  readonly action: string;
  readonly at: string;
}

/** The design as the engine took it: what it was then, and what it builds on. */
export interface AcceptedDesign {
  /** Of `design.md`. */
  readonly hash: string;
  /** The files that its components name. */
  readonly files: readonly string[];
  /** The design of each feature it depends on, as it was: another one voids this. */
  readonly basis: Readonly<Record<string, string>>;
}

export interface Implementation {
  readonly files_created: readonly string[];
  /** Those that were taken away since the last commit that was offered. */
  readonly files_removed?: readonly string[];
  /** Of `tasks.yaml` without what the engine writes into it; nothing before there are tasks. */
  readonly tasks_hash: string | null;
  readonly groups: readonly GroupRecord[];
  /** Of the files, when they were last found complete. */
  readonly hash: string | null;
  /** Files that others own, which the tasks may not claim. */
  readonly excluded: readonly string[];
}

/** Tasks that one Builder does, and the files that are its alone. */
export interface GroupRecord {
  readonly id: string;
  readonly wave: number;
  readonly tasks: readonly string[];
  readonly files: readonly string[];
  /** Groups that have to be done first. */
  readonly depends: readonly string[];
  /** Those of the tasks that may be left out. */
  readonly optional?: readonly string[];
  readonly status: "pending" | "done";
}

export interface Orchestration {
  /** NO-GOs since the last GO, at most 3. */
  readonly retry_count: number;
  /** SPEC-UPDATE-NEEDEDs since the last GO, at most 2. */
  readonly spec_update_count: number;
  /** Both together, at most 6; only a finished wave or the user sets it back. */
  readonly total_count: number;
  readonly last_phase_action: LastAction | null;
  /** How many runs of each kind have ended, by name: `architect`, `tasks`, `build-A`, `gate`. Ids of actions count on. */
  readonly runs: Readonly<Record<string, number>>;
  /** How many of them were lost in a row. */
  readonly lost: Readonly<Record<string, number>>;
}

export interface BlockedInfo {
  /** The features that failed, itself among them if it did. */
  readonly blocked_by: readonly FeatureName[];
  readonly reason: BlockReason;
  readonly blocked_at_phase: Exclude<Phase, "blocked">;
  /** What went wrong, in a line. */
  readonly detail: string;
  /** Whether the user let it go: nobody waits for it any more. */
  readonly is_skipped: boolean;
}

export interface Placed {
  readonly wave: number;
  readonly dependencies: readonly FeatureName[];
  /** Those of the dependencies that the user let go. */
  readonly skipped: readonly FeatureName[];
  /** Whether the user said that all others build on it. */
  readonly foundation?: boolean;
}

/** What a review came to, as its batch says in full. */
export interface ReviewRef {
  /** As `B3`. */
  readonly batch: string;
  readonly verdict: ReviewVerdict;
  readonly disposition: Disposition;
  /** The hash of what was reviewed; a review of something else counts no more. */
  readonly of: string;
  /** Steering lines that wait for the user's word. */
  readonly proposals: number;
  /** Those lines, with what earlier batches left waiting; not there when there are none. */
  readonly waiting?: readonly Proposal[];
}

/** A steering line that the user has not answered yet. */
export interface Proposal {
  /** The batch that holds it, and which of its steering lines it is, counted from 1. */
  readonly batch: string;
  readonly line: number;
  readonly file: string;
  readonly text: string;
}

/** Whose finding it was: a review of the feature, of a wave or of all code, or a gate or blocker on the way. */
export const FIX_SOURCES = ["design", "impl", "spec-update", "wave", "dead-code", "gate", "blocker", "revise"] as const;
type FixSource = (typeof FIX_SOURCES)[number];

export interface Fix {
  readonly source: FixSource;
  /** The batch that holds the findings, as a path; nothing where `detail` says it all. */
  readonly batch: string | null;
  readonly detail: string;
  /** The groups that mend it; none for a design or for tasks that are planned anew. */
  readonly groups: readonly string[];
  /** The tasks that are to be done again, where the user chose some. */
  readonly tasks?: readonly string[];
  /** Whether it changes how the work is cut into features: with `--gate` the user is asked first. */
  readonly isStructural?: boolean;
}
