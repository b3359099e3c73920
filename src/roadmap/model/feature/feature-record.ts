import * as z from "zod/mini";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import * as records from "#kernel/model/record-schema.ts";
import { batchId, REVIEW_DISPOSITIONS, REVIEW_VERDICTS } from "../review/review-finding.ts";
import { findFilePathProblem } from "./claimed-path.ts";

/** A blocked feature keeps its earlier phase in `blocked_at_phase`. */
export const FEATURE_PHASES = ["initialized", "design-generated", "implementation-complete", "blocked"] as const;
const [initialized, designed, implemented] = FEATURE_PHASES;

/** Agents write it. Invisible characters are stored as codes, which makes it longer. */
const detailText = records.boundedText(20_000);
const lineText = records.boundedText(400);
const shortText = records.filledText(100);
const versionText = z.string().check(z.regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/));
const counts = z.record(z.string(), records.countNumber);
const filePath = z.string().check(z.refine((path) => findFilePathProblem(path) === undefined));

const hashes = z.record(z.string(), shortText);

/** All hashes ignore layout, so that a formatter voids nothing. */
const AcceptedDesign = z.object({
  hash: shortText,
  files: z.array(filePath),
  /** What each dependency offered at that time. A different hash voids this design. */
  basis: z.record(z.string().check(z.refine(isFeatureName)), shortText),
  research: z.exactOptional(shortText),
  /** The steering files that the design was made on. */
  steering: z.exactOptional(hashes),
  /** What others may build on. */
  offers: z.exactOptional(shortText),
  /** Criteria, components and sections, to see how far a new version reaches. */
  parts: z.exactOptional(hashes),
});
export type AcceptedDesign = records.Immutable<z.infer<typeof AcceptedDesign>>;

/** Tasks of one Builder, with the files that only it writes. */
const TaskGroupRecord = z.object({
  id: shortText,
  wave: records.positiveNumber,
  tasks: z.array(shortText),
  files: z.array(filePath),
  depends: z.array(shortText),
  optional: z.exactOptional(z.array(shortText)),
  criteria: z.exactOptional(z.array(shortText)),
  status: z.enum(["pending", "done"]),
});
export type TaskGroupRecord = records.Immutable<z.infer<typeof TaskGroupRecord>>;

/** A line that waits for the user's answer. */
export const SteeringProposal = z.object({
  /** The batch that contains the line, and its position there, counted from 1. */
  batch: batchId,
  line: records.positiveNumber,
  file: lineText,
  text: detailText,
});
export type SteeringProposal = records.Immutable<z.infer<typeof SteeringProposal>>;

const ReviewReference = z.object({
  batch: batchId,
  verdict: z.enum(REVIEW_VERDICTS),
  disposition: z.enum(REVIEW_DISPOSITIONS),
  /** Hash of the reviewed content. The review is void once the content differs. */
  of: shortText,
  proposals: records.countNumber,
  /** Those lines and the open ones of earlier batches. Absent when there are none. */
  waiting: z.exactOptional(z.array(SteeringProposal)),
});
export type ReviewReference = records.Immutable<z.infer<typeof ReviewReference>>;

/** The content of `spec.yaml`. Only the engine writes it. */
const FeatureRecord = z
  .object({
    feature_name: records.featureName,
    description: records.boundedText(4_000),
    created_at: records.Timestamp,
    updated_at: records.Timestamp,
    language: shortText,
    /** The minor number grows each time an accepted design is replaced. */
    version: versionText,
    /** Actions are `design`, `redesign`, `edit`, `tasks`, `implementation`, `spec-update` and `revise`. */
    changelog: z.array(z.object({ version: versionText, action: shortText, at: records.Timestamp })),
    version_refs: z.object({ design: z.nullable(versionText), implementation: z.nullable(versionText) }),
    phase: z.enum(FEATURE_PHASES),
    design: z.nullable(AcceptedDesign),
    implementation: z.object({
      files_created: z.array(filePath),
      files_removed: z.exactOptional(z.array(filePath)),
      /** Hash of `tasks.yaml` without the fields that the engine writes. Null before there are tasks. */
      tasks_hash: z.nullable(shortText),
      /** Hash of the text of `tasks.yaml` without statuses, to notice an edit without parsing it. */
      plan_text: z.exactOptional(shortText),
      groups: z.array(TaskGroupRecord),
      hash: z.nullable(shortText),
      file_hashes: z.exactOptional(hashes),
      excluded: z.array(filePath),
    }),
    orchestration: z.object({
      /** NO-GOs since the last GO, at most 3. */
      retry_count: records.countNumber,
      /** SPEC-UPDATE-NEEDEDs since the last GO, at most 2. */
      spec_update_count: records.countNumber,
      /** Both together, at most 6. Only a finished wave or the user resets it. */
      total_count: records.countNumber,
      last_phase_action: z.nullable(z.enum(["tasks-generated", "impl-complete"])),
      /** Finished runs per kind: `architect`, `tasks`, `build-A`, `gate`. Action ids continue from these counts. */
      runs: counts,
      lost: counts,
    }),
    blocked_info: z.nullable(
      z.object({
        /** The failed features, including this one if it failed. */
        blocked_by: z.array(records.featureName),
        /** `upstream_failure`: a dependency failed. `retries_exhausted`: the feature itself failed. */
        reason: z.enum(["upstream_failure", "retries_exhausted"]),
        blocked_at_phase: z.enum([initialized, designed, implemented]),
        detail: detailText,
        /** Whether the user skipped it. Nothing waits for a skipped feature. */
        is_skipped: z.boolean(),
      }),
    ),
    /** Null for a feature outside the roadmap. */
    roadmap: z.nullable(
      z.object({
        wave: records.positiveNumber,
        dependencies: z.array(records.featureName),
        skipped: z.array(records.featureName),
        /** Whether the user declared that all other features depend on it. */
        foundation: z.exactOptional(z.boolean()),
      }),
    ),
    reviews: z.object({ design: z.nullable(ReviewReference), implementation: z.nullable(ReviewReference) }),
    /** Architects fix designs. Builders fix the named groups. */
    fix: z.nullable(
      z.object({
        /** A review of the feature, of a wave or of all code, or a gate or blocker. */
        source: z.enum(["design", "impl", "spec-update", "wave", "dead-code", "gate", "blocker", "revise"]),
        /** Path of the batch with the findings. Null where `detail` is complete. */
        batch: z.nullable(lineText),
        detail: detailText,
        /** The groups that fix it. Empty for a design or for tasks that are planned again. */
        groups: z.array(shortText),
        tasks: z.exactOptional(z.array(shortText)),
        /** Whether it changes how work is divided into features. With `--gate` Tenon asks the user first. */
        isStructural: z.exactOptional(z.boolean()),
      }),
    ),
    schema: z.literal(1),
    rev: z.int(),
  })
  .check(
    z.refine(({ design, phase }) => design !== null || (phase !== designed && phase !== implemented), {
      path: ["design"],
    }),
    z.refine(({ blocked_info, phase }) => (blocked_info !== null) === (phase === "blocked"), {
      path: ["blocked_info"],
    }),
  );
export type FeatureRecord = records.Immutable<z.infer<typeof FeatureRecord>>;
export type FeaturePhase = FeatureRecord["phase"];
export type FeatureBlock = NonNullable<FeatureRecord["blocked_info"]>;
export type RoadmapPlacement = NonNullable<FeatureRecord["roadmap"]>;
export type PendingFix = NonNullable<FeatureRecord["fix"]>;

export const findFeatureRecordProblem = (value: unknown, folder: string): string | undefined =>
  records.findRecordProblem(
    FeatureRecord.check(z.refine((record) => record.feature_name === folder, { path: ["feature_name"] })),
    value,
  );

const WaveRecord = z.object({
  wave: records.positiveNumber,
  step: z.enum(["cross-check", "dead-code", "commit", "done", "aborted"]),
  /** Failed tries of each review, at most 3. */
  tries: z.object({ cross_check: records.countNumber, dead_code: records.countNumber }),
  cross_check: z.nullable(ReviewReference),
  dead_code: z.nullable(ReviewReference),
  /** The files that passed the tests in a clean checkout. Absent until they did. */
  tested: z.exactOptional(shortText),
  /** Reopened by a revision behind an earlier wave: its gate needs no cross-check. */
  is_short: z.exactOptional(z.boolean()),
  /** True if a finished wave was opened again for one feature, which the user may have to approve first. */
  reopened: z.exactOptional(z.boolean()),
  failure: z.exactOptional(detailText),
  /** Failed reviews that the user chose to pass over. */
  proceeded: z.array(z.enum(["cross-check", "dead-code"])),
  runs: counts,
  schema: z.literal(1),
  rev: z.int(),
});
export type WaveRecord = records.Immutable<z.infer<typeof WaveRecord>>;

export const findWaveRecordProblem = (value: unknown, wave: number): string | undefined =>
  records.findRecordProblem(WaveRecord.check(z.refine((record) => record.wave === wave, { path: ["wave"] })), value);

/** The store counts `rev` on each write. */
export function createFeatureRecord(name: FeatureName, about: string, language: string, at: string): FeatureRecord {
  const counters = { retry_count: 0, spec_update_count: 0, total_count: 0 };
  return {
    feature_name: name,
    description: about.trim(),
    created_at: at,
    updated_at: at,
    language,
    version: "1.0.0",
    changelog: [],
    version_refs: { design: null, implementation: null },
    phase: "initialized",
    design: null,
    implementation: { files_created: [], tasks_hash: null, groups: [], hash: null, excluded: [] },
    orchestration: { ...counters, last_phase_action: null, runs: {}, lost: {} },
    blocked_info: null,
    roadmap: null,
    reviews: { design: null, implementation: null },
    fix: null,
    schema: 1,
    rev: 1,
  };
}

/** A replaced design raises the version. `edit`: it was changed after it was accepted, and not by an Architect. */
export function applyAcceptedDesign(
  record: FeatureRecord,
  design: AcceptedDesign,
  at: string,
  how?: "edit",
): FeatureRecord {
  const isAnew = record.version_refs.design !== null;
  const [major = "1", minor = "0"] = record.version.split(".");
  const version = isAnew ? `${major}.${Number(minor) + 1}.0` : record.version;
  const next: FeatureRecord = {
    ...record,
    version,
    version_refs: { ...record.version_refs, design: version },
    phase: "design-generated",
    design,
    orchestration: { ...record.orchestration, last_phase_action: null },
    fix: null,
  };
  const source = record.fix?.source;
  const isRequested = source === "spec-update" || source === "revise";
  return appendChangelogEntry(next, how ?? (isRequested ? source : isAnew ? "redesign" : "design"), at);
}

export function applyAcceptedTasks(
  record: FeatureRecord,
  tasks: {
    readonly hash: string;
    readonly text?: string | undefined;
    readonly groups: readonly TaskGroupRecord[];
    readonly excluded?: readonly string[];
  },
  at: string,
): FeatureRecord {
  const { hash, text, groups, excluded = record.implementation.excluded } = tasks;
  const { plan_text: _, ...known } = record.implementation;
  const plan = text === undefined ? {} : { plan_text: text };
  const implementation = { ...known, tasks_hash: hash, ...plan, groups, excluded };
  const orchestration = { ...record.orchestration, last_phase_action: "tasks-generated" } as const;
  return appendChangelogEntry({ ...record, implementation, orchestration, fix: null }, "tasks", at);
}

/** Every group is done and the gate passed. Files of earlier rounds stay with the feature. */
export function applyCompletedImplementation(
  record: FeatureRecord,
  {
    hash,
    files,
    file_hashes,
  }: {
    readonly hash: string;
    readonly files: readonly string[];
    readonly file_hashes?: Readonly<Record<string, string>> | undefined;
  },
  at: string,
): FeatureRecord {
  const files_created = [...new Set([...record.implementation.files_created, ...files])].toSorted();
  const next: FeatureRecord = {
    ...record,
    version_refs: { ...record.version_refs, implementation: record.version },
    phase: "implementation-complete",
    implementation: { ...record.implementation, files_created, hash, ...(file_hashes ? { file_hashes } : {}) },
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
