import type { FeatureName } from "./name.ts";
import type { AcceptedDesign, FeatureRecord, TaskGroupRecord, FeatureImplementation } from "./record.ts";

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
