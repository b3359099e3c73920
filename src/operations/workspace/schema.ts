import * as z from "zod";
import { FeatureLook, Overview } from "../feature/schema.ts";
import { NAME, SENTENCE, text } from "../text.ts";

export const Status = z.strictObject({
  feature: text(NAME, "Of the roadmap: all about it").optional(),
  impact: z.boolean().optional().describe("Whom its new design reaches"),
});

export const Doctor = z.strictObject({
  reseal: text(SENTENCE, "A hand-edited record to accept").optional(),
  mend: z.boolean().optional().describe("Finish unfinished writes"),
});

export const Init = z.strictObject({
  merge_drivers: z.boolean().optional().describe("Let git merge specs and records by id"),
});

const Damaged = z.object({ path: z.string(), why: z.string() });

export const WorkspaceInit = z.object({
  root: z.string(),
  created: z.array(z.string()),
  kept: z.array(z.string()),
  merge_drivers: z.boolean(),
  guide: z.string(),
});

export const WorkspaceStatus = z.object({
  root: z.string(),
  project: z.object({ name: z.string(), stage: z.string(), status: z.string(), mode: z.string() }).optional(),
  specs: z.boolean(),
  changes: z.array(
    z.object({ id: z.string(), type: z.string(), size: z.string(), stage: z.string(), updated_at: z.string() }),
  ),
  workflows: z.array(z.object({ id: z.string(), kind: z.string(), stage: z.string(), priority: z.int() })),
  completed: z.array(z.string()),
  counts: z.object({ active: z.int(), completed: z.int(), abandoned: z.int(), archived: z.int() }),
  roadmap: Overview.optional(),
  feature: FeatureLook.optional(),
  unfinished_writes: z.int(),
  damaged: z.array(Damaged),
});

export const WorkspaceDoctor = z.object({
  healthy: z.boolean(),
  resealed: z.string().optional(),
  checks: z.array(z.object({ check: z.string(), ok: z.boolean(), found: z.string(), fix: z.string().optional() })),
});

export const WorkspaceValidation = z.object({
  passed: z.boolean(),
  items: z.int(),
  problems: z.array(z.object({ path: z.string(), problem: z.string(), line: z.int().optional() })),
});
