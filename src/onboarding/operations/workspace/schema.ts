import * as z from "zod";
import { FeatureStatusSchema, FeaturesOverviewSchema } from "#roadmap/operations/feature/schema.ts";
import { MAX_NAME, MAX_SENTENCE, createTextField } from "#kernel/operations/text-fields.ts";

export const WorkspaceStatusInput = z.strictObject({
  feature: createTextField(MAX_NAME, "Of the roadmap: all about it").optional(),
  impact: z.boolean().optional().describe("Whom its new design reaches"),
});

export const WorkspaceDoctorInput = z.strictObject({
  reseal: createTextField(MAX_SENTENCE, "A hand-edited record to accept").optional(),
  mend: z.boolean().optional().describe("Finish unfinished writes"),
});

export const WorkspaceInitInput = z.strictObject({
  merge_drivers: z.boolean().optional().describe("Let git merge specs and records by id"),
});

const DamagedFileOutput = z.object({ path: z.string(), why: z.string() });

export const WorkspaceInitOutput = z.object({
  root: z.string(),
  created: z.array(z.string()),
  kept: z.array(z.string()),
  merge_drivers: z.boolean(),
  guide: z.string(),
});

export const WorkspaceStatusOutput = z.object({
  root: z.string(),
  project: z.object({ name: z.string(), stage: z.string(), status: z.string(), mode: z.string() }).optional(),
  specs: z.boolean(),
  changes: z.array(
    z.object({ id: z.string(), type: z.string(), size: z.string(), stage: z.string(), updated_at: z.string() }),
  ),
  workflows: z.array(z.object({ id: z.string(), kind: z.string(), stage: z.string(), priority: z.int() })),
  completed: z.array(z.string()),
  counts: z.object({ active: z.int(), completed: z.int(), abandoned: z.int(), archived: z.int() }),
  roadmap: FeaturesOverviewSchema.optional(),
  feature: FeatureStatusSchema.optional(),
  unfinished_writes: z.int(),
  damaged: z.array(DamagedFileOutput),
});

export const WorkspaceDoctorOutput = z.object({
  healthy: z.boolean(),
  resealed: z.string().optional(),
  checks: z.array(z.object({ check: z.string(), ok: z.boolean(), found: z.string(), fix: z.string().optional() })),
});

export const WorkspaceValidationOutput = z.object({
  passed: z.boolean(),
  items: z.int(),
  problems: z.array(z.object({ path: z.string(), problem: z.string(), line: z.int().optional() })),
});
