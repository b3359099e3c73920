import * as z from "zod/mini";
import * as records from "#kernel/model/record-schema.ts";
import {
  CLARITY_DIMENSION_NAMES,
  PROJECT_MODES,
  PROJECT_STAGES,
  PROJECT_VERDICTS,
} from "#kernel/model/stages/project-stages.ts";

const recordText = records.boundedText(4_000);
const percentage = z.int().check(z.gte(0), z.lte(100));

const AssessedDimension = z.object({
  dimension: z.enum(CLARITY_DIMENSION_NAMES),
  score: percentage,
  evidence: z.exactOptional(recordText),
  waiver: z.exactOptional(recordText),
  counted: percentage,
  found_in: z.exactOptional(recordText),
});
export type AssessedDimension = records.Immutable<z.infer<typeof AssessedDimension>>;

const ClarityRound = z.object({
  at: records.Timestamp,
  answers: z.exactOptional(records.boundedText(524_288)),
  /** Who answered, and what proves it. Missing in older rounds. */
  answered_by: z.exactOptional(recordText),
  dimensions: z.array(AssessedDimension),
  score: percentage,
  threshold: percentage,
  passed: z.boolean(),
});
export type ClarityRound = records.Immutable<z.infer<typeof ClarityRound>>;

/** The given verdict, the verdict derived from the documents, and the reason for a difference. */
const ProjectValidation = z.object({
  at: records.Timestamp,
  verdict: z.enum(PROJECT_VERDICTS),
  facts: z.enum(PROJECT_VERDICTS),
  override: z.exactOptional(recordText),
  /** Who accepted the milder verdict, and what proves it. */
  approved_by: z.exactOptional(recordText),
});
export type ProjectValidation = records.Immutable<z.infer<typeof ProjectValidation>>;

/** The content of `sdd.json`. */
const ProjectRecord = z
  .object({
    name: records.boundedText(400),
    description: recordText,
    mode: z.enum(PROJECT_MODES),
    ...records.createFlowFields(PROJECT_STAGES),
    /** Every requirement and rule id ever assigned. Ids are never reused. */
    ids: z.array(z.string().check(z.regex(/^(?:N?FR|BR)-\d{3,5}$/))),
    rounds: z.array(ClarityRound),
    validations: z.array(ProjectValidation),
    reopenings: z.array(records.StageReopening),
    created_at: records.Timestamp,
    updated_at: records.Timestamp,
    schema: z.literal(1),
    rev: z.int(),
  })
  .check(records.checkFlowOrder);
export type ProjectRecord = records.Immutable<z.infer<typeof ProjectRecord>>;

const { name, description, mode, status, current_stage, rev } = ProjectRecord.shape;

export const ProjectView = z.object({
  name,
  description,
  mode,
  status,
  current_stage,
  stages: z.array(records.StageView),
  clarity: z.exactOptional(percentage),
  rev,
});
export type ProjectView = z.infer<typeof ProjectView>;

/** Returns the first invalid field. Ignores unknown fields. */
export const findProjectRecordProblem = (value: unknown): string | undefined =>
  records.findRecordProblem(ProjectRecord, value);

/** Call only after `findProjectRecordProblem` found nothing. */
export const asProjectRecord = (value: unknown): ProjectRecord => value as ProjectRecord;
