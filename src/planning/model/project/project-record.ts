import * as z from "zod/mini";
import {
  boundedText,
  checkFlowOrder,
  createFlowFields,
  findRecordProblem,
  type Immutable,
  StageReopening,
  StageView,
  Timestamp,
} from "#kernel/model/record-schema.ts";
import {
  CLARITY_DIMENSION_NAMES,
  PROJECT_MODES,
  PROJECT_STAGES,
  PROJECT_VERDICTS,
} from "#kernel/model/stages/project-stages.ts";

const recordText = boundedText(4_000);
const percentage = z.int().check(z.gte(0), z.lte(100));

const AssessedDimension = z.object({
  dimension: z.enum(CLARITY_DIMENSION_NAMES),
  score: percentage,
  evidence: z.exactOptional(recordText),
  waiver: z.exactOptional(recordText),
  counted: percentage,
  found_in: z.exactOptional(recordText),
});
export type AssessedDimension = Immutable<z.infer<typeof AssessedDimension>>;

const ClarityRound = z.object({
  at: Timestamp,
  answers: z.exactOptional(boundedText(524_288)),
  dimensions: z.array(AssessedDimension),
  score: percentage,
  threshold: percentage,
  passed: z.boolean(),
});
export type ClarityRound = Immutable<z.infer<typeof ClarityRound>>;

/** The given verdict, the verdict derived from the documents, and the reason for a difference. */
const ProjectValidation = z.object({
  at: Timestamp,
  verdict: z.enum(PROJECT_VERDICTS),
  facts: z.enum(PROJECT_VERDICTS),
  override: z.exactOptional(recordText),
});
export type ProjectValidation = Immutable<z.infer<typeof ProjectValidation>>;

/** The content of `sdd.json`. */
const ProjectRecord = z
  .object({
    name: boundedText(400),
    description: recordText,
    mode: z.enum(PROJECT_MODES),
    ...createFlowFields(PROJECT_STAGES),
    /** Every requirement and rule id ever assigned. Ids are never reused. */
    ids: z.array(z.string().check(z.regex(/^(?:N?FR|BR)-\d{3,5}$/))),
    rounds: z.array(ClarityRound),
    validations: z.array(ProjectValidation),
    reopenings: z.array(StageReopening),
    created_at: Timestamp,
    updated_at: Timestamp,
    schema: z.literal(1),
    rev: z.int(),
  })
  .check(checkFlowOrder);
export type ProjectRecord = Immutable<z.infer<typeof ProjectRecord>>;

const { name, description, mode, status, current_stage, rev } = ProjectRecord.shape;

/** The fields of a record that every answer about the project shows. */
export const ProjectView = z.object({
  name,
  description,
  mode,
  status,
  current_stage,
  stages: z.array(StageView),
  clarity: z.exactOptional(percentage),
  rev,
});
export type ProjectView = z.infer<typeof ProjectView>;

/** Returns the first invalid field. Ignores unknown fields. */
export const findProjectRecordProblem = (value: unknown): string | undefined => findRecordProblem(ProjectRecord, value);

/** Call only after `findProjectRecordProblem` found nothing. */
export const asProjectRecord = (value: unknown): ProjectRecord => value as ProjectRecord;
