import * as z from "zod";
import { OpenQuestionOutput } from "#planning/operations/approval/schema.ts";
import { FeatureStatusSchema, FeaturesOverviewSchema } from "#roadmap/operations/feature/schema.ts";
import { MAX_NAME, MAX_SENTENCE, createTextField } from "#kernel/operations/text-fields.ts";
import { DamagedFiles } from "#planning/operations/schema.ts";

export const WorkspaceStatusInput = z.strictObject({
  feature: createTextField(MAX_NAME, "Of the roadmap: all about it").optional(),
  impact: z.boolean().optional().describe("Dependents affected by redesign"),
});

export const WorkspaceDoctorInput = z.strictObject({
  reseal: createTextField(MAX_SENTENCE, "A hand-edited record to accept").optional(),
  repair: z.boolean().optional().describe("Finish unfinished writes"),
  restore: z.boolean().optional().describe("Restore a damaged or lost ledger"),
});

export const DocumentsInput = z.strictObject({
  path: createTextField(MAX_SENTENCE, "Which one, or a file of code; default: list them").optional(),
  history: z.boolean().optional().describe("Its earlier versions too"),
});

export const DocumentsOutput = z.object({
  documents: z.array(z.string()),
  document: z
    .object({
      path: z.string(),
      text: z.string(),
      /** The newest commit first. */
      history: z.array(z.object({ commit: z.string(), at: z.string(), path: z.string(), text: z.string() })).optional(),
    })
    .optional(),
});

export const WorkspaceInitInput = z.strictObject({
  merge_drivers: z.boolean().optional().describe("Let git merge specs and records by id"),
});

export const WorkspaceInitOutput = z.object({
  root: z.string(),
  created: z.array(z.string()),
  kept: z.array(z.string()),
  merge_drivers: z.boolean(),
  guide: z.string(),
});

export const WorkspaceStatusOutput = z.object({
  root: z.string(),
  is_set_up: z.boolean(),
  project: z.object({ name: z.string(), stage: z.string(), status: z.string(), mode: z.string() }).optional(),
  specs: z.boolean(),
  imported: z.boolean(),
  changes: z.array(
    z.object({ id: z.string(), type: z.string(), size: z.string(), stage: z.string(), updated_at: z.string() }),
  ),
  workflows: z.array(z.object({ id: z.string(), kind: z.string(), stage: z.string(), priority: z.int() })),
  questions: z.array(z.object({ id: z.string(), question: z.string(), choices: z.array(z.string()) })),
  /** Approvals of unfinished workflows that rest on an agent's word. */
  unproved: z.array(z.object({ id: z.string(), stage: z.string(), by: z.string() })),
  unproved_answers: z.array(z.object({ id: z.string(), stage: z.string(), by: z.string(), choice: z.string() })),
  completed: z.array(z.string()),
  counts: z.object({ active: z.int(), completed: z.int(), abandoned: z.int(), archived: z.int() }),
  roadmap: FeaturesOverviewSchema.optional(),
  feature: FeatureStatusSchema.optional(),
  gates: z
    .object({ trust: z.enum(["untrusted", "given"]), commands: z.int(), missing: z.array(z.string()) })
    .optional(),
  unfinished_writes: z.int(),
  rollbacks: z
    .array(z.object({ id: z.string(), snapshot: z.int(), failed: z.string().optional() }))
    .optional()
    .describe("Unfinished ones; those that failed wait for you"),
  damaged: DamagedFiles,
});

export const WorkspaceDoctorOutput = z.object({
  healthy: z.boolean(),
  user_question: OpenQuestionOutput.optional(),
  resealed: z.string().optional(),
  restored: z
    .object({
      from: z.string().optional(),
      as_of: z.string().optional(),
      damaged_kept: z.array(z.string()),
      recovered: z.array(z.object({ id: z.string(), stage: z.string(), from: z.string() })),
      unrecovered: z.array(z.string()),
    })
    .optional(),
  checks: z.array(
    z.object({
      check: z.string(),
      ok: z.boolean(),
      found: z.string(),
      fix: z.string().optional(),
      warning: z.literal(true).optional(),
    }),
  ),
});

export const WorkspaceValidationOutput = z.object({
  passed: z.boolean(),
  items: z.int(),
  problems: z.array(z.object({ path: z.string(), problem: z.string(), line: z.int().optional() })),
});
