import * as z from "zod/mini";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  boundedText,
  countNumber,
  featureName,
  filledText,
  findRecordProblem,
  type Immutable,
  positiveNumber,
  Timestamp,
} from "#kernel/model/record-schema.ts";
import { batchId, REVIEW_DISPOSITIONS, REVIEW_VERDICTS } from "../review/review-finding.ts";
import { findFilePathProblem } from "./claimed-path.ts";

/** A blocked feature keeps its earlier phase in `blocked_at_phase`. */
export const FEATURE_PHASES = ["initialized", "design-generated", "implementation-complete", "blocked"] as const;
const [initialized, designed, implemented] = FEATURE_PHASES;

/** Agents write it. Invisible characters are stored as codes, which makes it longer. */
const detailText = boundedText(20_000);
const lineText = boundedText(400);
const shortText = filledText(100);
const versionText = z.string().check(z.regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/));
const counts = z.record(z.string(), countNumber);
const filePath = z.string().check(z.refine((path) => findFilePathProblem(path) === undefined));

const AcceptedDesign = z.object({
  hash: shortText,
  files: z.array(filePath),
  /** Design hash of each dependency at that time. A different hash voids this design. */
  basis: z.record(z.string().check(z.refine(isFeatureName)), shortText),
});
export type AcceptedDesign = Immutable<z.infer<typeof AcceptedDesign>>;

/** Tasks of one Builder, with the files that only it writes. */
const TaskGroupRecord = z.object({
  id: shortText,
  wave: positiveNumber,
  tasks: z.array(shortText),
  files: z.array(filePath),
  depends: z.array(shortText),
  optional: z.exactOptional(z.array(shortText)),
  status: z.enum(["pending", "done"]),
});
export type TaskGroupRecord = Immutable<z.infer<typeof TaskGroupRecord>>;

/** A line that waits for the user's answer. */
export const SteeringProposal = z.object({
  /** The batch that contains the line, and its position there, counted from 1. */
  batch: batchId,
  line: positiveNumber,
  file: lineText,
  text: detailText,
});
export type SteeringProposal = Immutable<z.infer<typeof SteeringProposal>>;

const ReviewReference = z.object({
  batch: batchId,
  verdict: z.enum(REVIEW_VERDICTS),
  disposition: z.enum(REVIEW_DISPOSITIONS),
  /** Hash of the reviewed content. The review is void once the content differs. */
  of: shortText,
  proposals: countNumber,
  /** Those lines and the open ones of earlier batches. Absent when there are none. */
  waiting: z.exactOptional(z.array(SteeringProposal)),
});
export type ReviewReference = Immutable<z.infer<typeof ReviewReference>>;

/** The content of `spec.yaml`. Only the engine writes it. */
const FeatureRecord = z
  .object({
    feature_name: featureName,
    description: boundedText(4_000),
    created_at: Timestamp,
    updated_at: Timestamp,
    language: shortText,
    /** The minor number grows each time an accepted design is replaced. */
    version: versionText,
    /** Actions are `design`, `redesign`, `tasks`, `implementation`, `spec-update` and `revise`. */
    changelog: z.array(z.object({ version: versionText, action: shortText, at: Timestamp })),
    version_refs: z.object({ design: z.nullable(versionText), implementation: z.nullable(versionText) }),
    phase: z.enum(FEATURE_PHASES),
    design: z.nullable(AcceptedDesign),
    implementation: z.object({
      files_created: z.array(filePath),
      files_removed: z.exactOptional(z.array(filePath)),
      /** Hash of `tasks.yaml` without the fields that the engine writes. Null before there are tasks. */
      tasks_hash: z.nullable(shortText),
      groups: z.array(TaskGroupRecord),
      /** Hash of the files when they were last complete. */
      hash: z.nullable(shortText),
      excluded: z.array(filePath),
    }),
    orchestration: z.object({
      /** NO-GOs since the last GO, at most 3. */
      retry_count: countNumber,
      /** SPEC-UPDATE-NEEDEDs since the last GO, at most 2. */
      spec_update_count: countNumber,
      /** Both together, at most 6. Only a finished wave or the user resets it. */
      total_count: countNumber,
      last_phase_action: z.nullable(z.enum(["tasks-generated", "impl-complete"])),
      /** Finished runs per kind: `architect`, `tasks`, `build-A`, `gate`. Action ids continue from these counts. */
      runs: counts,
      lost: counts,
    }),
    blocked_info: z.nullable(
      z.object({
        /** The failed features, including this one if it failed. */
        blocked_by: z.array(featureName),
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
        wave: positiveNumber,
        dependencies: z.array(featureName),
        skipped: z.array(featureName),
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
export type FeatureRecord = Immutable<z.infer<typeof FeatureRecord>>;
export type FeaturePhase = FeatureRecord["phase"];
type FeatureImplementation = FeatureRecord["implementation"];
export type FeatureBlock = NonNullable<FeatureRecord["blocked_info"]>;
export type RoadmapPlacement = NonNullable<FeatureRecord["roadmap"]>;
export type PendingFix = NonNullable<FeatureRecord["fix"]>;

export const findFeatureRecordProblem = (value: unknown, folder: string): string | undefined =>
  findRecordProblem(
    FeatureRecord.check(z.refine((record) => record.feature_name === folder, { path: ["feature_name"] })),
    value,
  );

const waveGate = z.enum(["cross-check", "dead-code"]);

/** The gate of a wave: the content of `sdd/waves/<n>.yaml`. */
const WaveRecord = z.object({
  wave: positiveNumber,
  step: z.enum(["cross-check", "dead-code", "commit", "done", "aborted"]),
  /** Failed tries of each review, at most 3. */
  tries: z.object({ cross_check: countNumber, dead_code: countNumber }),
  cross_check: z.nullable(ReviewReference),
  dead_code: z.nullable(ReviewReference),
  /** Failed reviews that the user chose to pass over. */
  proceeded: z.array(waveGate),
  runs: counts,
  schema: z.literal(1),
  rev: z.int(),
});
export type WaveRecord = Immutable<z.infer<typeof WaveRecord>>;

export const findWaveRecordProblem = (value: unknown, wave: number): string | undefined =>
  findRecordProblem(WaveRecord.check(z.refine((record) => record.wave === wave, { path: ["wave"] })), value);

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
