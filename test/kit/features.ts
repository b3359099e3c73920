import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type {
  FeatureRecord,
  ReviewReference,
  TaskGroupRecord,
  WaveRecord,
} from "#roadmap/model/feature/feature-record.ts";
import { EMPTY_RUN, type Lead } from "#roadmap/model/lead/lead-state.ts";
import type { ReviewVerdict } from "#roadmap/model/review/review-finding.ts";

/** What a record says otherwise than that of a feature nobody has begun. */
export interface Said extends Partial<Omit<FeatureRecord, "feature_name" | "roadmap" | "implementation">> {
  readonly wave?: number | null;
  readonly on?: readonly string[];
  readonly skipped?: readonly string[];
  readonly implementation?: Partial<FeatureRecord["implementation"]>;
}

const AT = "2026-11-16T08:00:00Z";

/** The record of a feature in wave 1 that nobody has begun, but for what is said otherwise. */
export function feature(
  name: string,
  { wave = 1, on = [], skipped = [], implementation = {}, ...said }: Said = {},
): FeatureRecord {
  const roadmap = wave === null ? null : { wave, dependencies: on as FeatureName[], skipped: skipped as FeatureName[] };
  return {
    feature_name: name as FeatureName,
    description: `What ${name} is for`,
    created_at: AT,
    updated_at: AT,
    language: "en",
    version: "1.0.0",
    changelog: [],
    version_refs: { design: null, implementation: null },
    phase: "initialized",
    design: null,
    implementation: { files_created: [], tasks_hash: null, groups: [], hash: null, excluded: [], ...implementation },
    orchestration: {
      retry_count: 0,
      spec_update_count: 0,
      total_count: 0,
      last_phase_action: null,
      runs: {},
      lost: {},
    },
    blocked_info: null,
    roadmap,
    reviews: { design: null, implementation: null },
    fix: null,
    schema: 1,
    rev: 1,
    ...said,
  };
}

/** A feature with an accepted design that names these files. */
export const designed = (name: string, files: readonly string[], said: Said = {}): FeatureRecord =>
  feature(name, {
    phase: "design-generated",
    design: { hash: `design of ${name}`, files, basis: {} },
    version_refs: { design: "1.0.0", implementation: null },
    ...said,
  });

/** A feature whose code is there and was accepted by a review. */
export const built = (name: string, files: readonly string[], said: Said = {}): FeatureRecord =>
  designed(name, files, {
    phase: "implementation-complete",
    version_refs: { design: "1.0.0", implementation: "1.0.0" },
    reviews: { design: review("GO", `design of ${name}`), implementation: review("GO", `code of ${name}`) },
    orchestration: { ...feature(name).orchestration, last_phase_action: "impl-complete" },
    ...said,
    implementation: {
      files_created: files,
      tasks_hash: `tasks of ${name}`,
      groups: [group("A", files, { status: "done" })],
      hash: `code of ${name}`,
      ...said.implementation,
    },
  });

export const group = (id: string, files: readonly string[], said: Partial<TaskGroupRecord> = {}): TaskGroupRecord => ({
  id,
  wave: 1,
  tasks: ["1.1"],
  files,
  depends: [],
  status: "pending",
  ...said,
});

export const review = (verdict: ReviewVerdict, of: string): ReviewReference => ({
  batch: "B1",
  verdict,
  disposition: verdict === "NO-GO" ? "NO-GO-RETURNED" : "GO-ACCEPTED",
  of,
  proposals: 0,
});

export const finished = (wave: number): WaveRecord => ({
  wave,
  step: "done",
  tries: { cross_check: 0, dead_code: 0 },
  cross_check: null,
  dead_code: null,
  proceeded: [],
  runs: { commit: 1 },
  schema: 1,
  rev: 1,
});

/** A roadmap of these features that runs. */
export function createTestLead(records: readonly FeatureRecord[], said: Partial<Lead> = {}): Lead {
  return {
    features: new Map(records.map((record) => [record.feature_name, record])),
    waves: new Map(),
    run: {
      isOn: true,
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
    ...said,
  };
}

export const createEmptyLead = (): Lead => ({
  features: new Map(),
  waves: new Map(),
  run: EMPTY_RUN,
  reviews: new Map(),
  out: new Map(),
});
