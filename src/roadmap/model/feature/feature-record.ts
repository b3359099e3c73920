import type { ReviewDisposition, ReviewVerdict } from "../review/review-finding.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";

/** A blocked feature keeps its earlier phase in `blocked_at_phase`. */
export const FEATURE_PHASES = ["initialized", "design-generated", "implementation-complete", "blocked"] as const;
export type FeaturePhase = (typeof FEATURE_PHASES)[number];

export const LAST_PHASE_ACTIONS = ["tasks-generated", "impl-complete"] as const;
type LastPhaseAction = (typeof LAST_PHASE_ACTIONS)[number];

/** `upstream_failure`: a dependency failed. `retries_exhausted`: the feature itself failed. */
export const BLOCK_REASONS = ["upstream_failure", "retries_exhausted"] as const;
type BlockReason = (typeof BLOCK_REASONS)[number];

/** The content of `spec.yaml`. Only the engine writes it. */
export interface FeatureRecord {
  readonly feature_name: FeatureName;
  readonly description: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly language: string;
  /** The minor number grows each time an accepted design is replaced. */
  readonly version: string;
  readonly changelog: readonly FeatureChangelogEntry[];
  readonly version_refs: { readonly design: string | null; readonly implementation: string | null };
  readonly phase: FeaturePhase;
  readonly design: AcceptedDesign | null;
  readonly implementation: FeatureImplementation;
  readonly orchestration: FeatureOrchestration;
  readonly blocked_info: FeatureBlock | null;
  /** Null for a feature outside the roadmap. */
  readonly roadmap: RoadmapPlacement | null;
  readonly reviews: { readonly design: ReviewReference | null; readonly implementation: ReviewReference | null };
  /** Architects fix designs. Builders fix the named groups. */
  readonly fix: PendingFix | null;
  readonly schema: 1;
  readonly rev: number;
}

interface FeatureChangelogEntry {
  readonly version: string;
  /** As `design`, `redesign`, `tasks`, `implementation`, `spec-update`, `revise`. */
  readonly action: string;
  readonly at: string;
}

export interface AcceptedDesign {
  readonly hash: string;
  readonly files: readonly string[];
  /** Design hash of each dependency at that time. A different hash voids this design. */
  readonly basis: Readonly<Record<string, string>>;
}

export interface FeatureImplementation {
  readonly files_created: readonly string[];
  readonly files_removed?: readonly string[];
  /** Hash of `tasks.yaml` without the fields that the engine writes. Null before there are tasks. */
  readonly tasks_hash: string | null;
  readonly groups: readonly TaskGroupRecord[];
  /** Hash of the files when they were last complete. */
  readonly hash: string | null;
  readonly excluded: readonly string[];
}

/** Tasks of one Builder, with the files that only it writes. */
export interface TaskGroupRecord {
  readonly id: string;
  readonly wave: number;
  readonly tasks: readonly string[];
  readonly files: readonly string[];
  readonly depends: readonly string[];
  readonly optional?: readonly string[];
  readonly status: "pending" | "done";
}

export interface FeatureOrchestration {
  /** NO-GOs since the last GO, at most 3. */
  readonly retry_count: number;
  /** SPEC-UPDATE-NEEDEDs since the last GO, at most 2. */
  readonly spec_update_count: number;
  /** Both together, at most 6. Only a finished wave or the user resets it. */
  readonly total_count: number;
  readonly last_phase_action: LastPhaseAction | null;
  /** Finished runs per kind: `architect`, `tasks`, `build-A`, `gate`. Action ids continue from these counts. */
  readonly runs: Readonly<Record<string, number>>;
  readonly lost: Readonly<Record<string, number>>;
}

export interface FeatureBlock {
  /** The failed features, including this one if it failed. */
  readonly blocked_by: readonly FeatureName[];
  readonly reason: BlockReason;
  readonly blocked_at_phase: Exclude<FeaturePhase, "blocked">;
  readonly detail: string;
  /** Whether the user skipped it. Nothing waits for a skipped feature. */
  readonly is_skipped: boolean;
}

export interface RoadmapPlacement {
  readonly wave: number;
  readonly dependencies: readonly FeatureName[];
  readonly skipped: readonly FeatureName[];
  /** Whether the user declared that all other features depend on it. */
  readonly foundation?: boolean;
}

export interface ReviewReference {
  readonly batch: string;
  readonly verdict: ReviewVerdict;
  readonly disposition: ReviewDisposition;
  /** Hash of the reviewed content. The review is void once the content differs. */
  readonly of: string;
  readonly proposals: number;
  /** Those lines and the open ones of earlier batches. Absent when there are none. */
  readonly waiting?: readonly SteeringProposal[];
}

export interface SteeringProposal {
  /** The batch that contains the line, and its position there, counted from 1. */
  readonly batch: string;
  readonly line: number;
  readonly file: string;
  readonly text: string;
}

/** Origin of the fix: a review of the feature, of a wave or of all code, or a gate or blocker. */
export const FIX_SOURCES = ["design", "impl", "spec-update", "wave", "dead-code", "gate", "blocker", "revise"] as const;
type FixSource = (typeof FIX_SOURCES)[number];

export interface PendingFix {
  readonly source: FixSource;
  /** Path of the batch with the findings. Null where `detail` is complete. */
  readonly batch: string | null;
  readonly detail: string;
  /** The groups that fix it. Empty for a design or for tasks that are planned again. */
  readonly groups: readonly string[];
  readonly tasks?: readonly string[];
  /** Whether it changes how work is divided into features. With `--gate` Tenon asks the user first. */
  readonly isStructural?: boolean;
}

const FIRST_FEATURE_VERSION = "1.0.0";

/** The store counts `rev` on each write. */
export function createFeatureRecord(
  name: FeatureName,
  description: string,
  language: string,
  at: string,
): FeatureRecord {
  return {
    feature_name: name,
    description: description.trim(),
    created_at: at,
    updated_at: at,
    language,
    version: FIRST_FEATURE_VERSION,
    changelog: [],
    version_refs: { design: null, implementation: null },
    phase: "initialized",
    design: null,
    implementation: { files_created: [], tasks_hash: null, groups: [], hash: null, excluded: [] },
    orchestration: {
      retry_count: 0,
      spec_update_count: 0,
      total_count: 0,
      last_phase_action: null,
      runs: {},
      lost: {},
    },
    blocked_info: null,
    roadmap: null,
    reviews: { design: null, implementation: null },
    fix: null,
    schema: 1,
    rev: 1,
  };
}

/** A replaced design raises the version and voids the tasks made from the old one. */
export function applyAcceptedDesign(record: FeatureRecord, design: AcceptedDesign, at: string): FeatureRecord {
  const isAnew = record.version_refs.design !== null;
  const version = isAnew ? raiseMinorVersion(record.version) : record.version;
  const next: FeatureRecord = {
    ...record,
    version,
    version_refs: { ...record.version_refs, design: version },
    phase: "design-generated",
    design,
    orchestration: { ...record.orchestration, last_phase_action: null },
    fix: null,
  };
  return appendChangelogEntry(next, nameDesignAction(record, isAnew), at);
}

function nameDesignAction({ fix }: FeatureRecord, isAnew: boolean): string {
  if (fix?.source === "spec-update" || fix?.source === "revise") return fix.source;
  return isAnew ? "redesign" : "design";
}

export interface AcceptedTasks {
  readonly hash: string;
  readonly groups: readonly TaskGroupRecord[];
  readonly excluded?: readonly string[];
}

export function applyAcceptedTasks(
  record: FeatureRecord,
  { hash, groups, excluded }: AcceptedTasks,
  at: string,
): FeatureRecord {
  const implementation: FeatureImplementation = {
    ...record.implementation,
    tasks_hash: hash,
    groups,
    excluded: excluded ?? record.implementation.excluded,
  };
  const orchestration = { ...record.orchestration, last_phase_action: "tasks-generated" } as const;
  return appendChangelogEntry({ ...record, implementation, orchestration, fix: null }, "tasks", at);
}

export interface CompletedImplementation {
  readonly hash: string;
  readonly files: readonly string[];
}

/** Every group is done and the gate passed. Files of earlier rounds stay with the feature. */
export function applyCompletedImplementation(
  record: FeatureRecord,
  { hash, files }: CompletedImplementation,
  at: string,
): FeatureRecord {
  const files_created = [...new Set([...record.implementation.files_created, ...files])].toSorted();
  const next: FeatureRecord = {
    ...record,
    version_refs: { ...record.version_refs, implementation: record.version },
    phase: "implementation-complete",
    implementation: { ...record.implementation, files_created, hash },
    orchestration: { ...record.orchestration, last_phase_action: "impl-complete" },
    fix: null,
  };
  return appendChangelogEntry(next, "implementation", at);
}

const appendChangelogEntry = (record: FeatureRecord, action: string, at: string): FeatureRecord => ({
  ...record,
  updated_at: at,
  changelog: [...record.changelog, { version: record.version, action, at }],
});

function raiseMinorVersion(version: string): string {
  const [major = "1", minor = "0"] = version.split(".");
  return `${major}.${Number(minor) + 1}.0`;
}
