import * as z from "zod";
import { createTextField, createTextListField, MAX_NAME, MAX_SENTENCE } from "#kernel/operations/text-fields.ts";
import { pendingSummaryFields } from "../management/schema.ts";

export const DesignFeatureInputSchema = z.strictObject({
  feature: createTextField(MAX_SENTENCE, "Name, or the behaviour of a new one"),
  description: createTextField(MAX_SENTENCE, "Of a new one, or the change of a redesign").optional(),
  confirm: z.boolean().optional().describe("Even if implemented"),
});

export const ImplementFeatureInputSchema = z.strictObject({
  feature: createTextField(MAX_NAME, "Name"),
  tasks: createTextListField(MAX_NAME, "Id", "To do again, as 1.2; default: what is left"),
});

export const FeatureSummarySchema = z.object({
  name: z.string(),
  description: z.string(),
  phase: z.string(),
  version: z.string(),
  wave: z.int().nullable(),
});

export const DesignFeatureOutputSchema = z.object({
  passed: z.boolean(),
  feature: FeatureSummarySchema,
  /** `new`: a new feature. `first`: its first design. `again`: a replaced design. */
  mode: z.enum(["new", "first", "again"]),
  question: z.string().optional(),
  notes: z.array(z.string()),
  ...pendingSummaryFields,
});

export const ImplementFeatureOutputSchema = z.object({
  passed: z.boolean(),
  feature: FeatureSummarySchema,
  mode: z.enum(["regenerate", "resume", "re-execute", "ask"]),
  tasks: z.array(z.string()),
  choices: z.array(
    z.object({
      choice: z.string(),
      summary: z.string(),
      operation: z.string().optional(),
      input: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  ...pendingSummaryFields,
});

const ReviewReferenceSchema = z.object({
  batch: z.string(),
  verdict: z.string(),
  disposition: z.string(),
  is_current: z.boolean(),
});

export const FeatureStatusSchema = FeatureSummarySchema.extend({
  version_refs: z.object({ design: z.string().nullable(), implementation: z.string().nullable() }),
  /** Whether code, design and the designs it depends on agree. */
  alignment: z.string(),
  /** Files that changed since they were accepted, with the changed lines. */
  edited: z.array(z.object({ path: z.string(), lines: z.string() })),
  stale: z.array(z.string()),
  dependencies: z.array(z.string()),
  dependents: z.array(z.string()),
  tasks: z.object({ total: z.int(), done: z.int(), pending: z.int(), optional: z.int() }).nullable(),
  files: z.int(),
  blocked: z
    .object({
      by: z.array(z.string()),
      reason: z.string(),
      detail: z.string(),
      at_phase: z.string(),
      skipped: z.boolean(),
    })
    .optional(),
  fix: z.object({ source: z.string(), detail: z.string() }).optional(),
  counters: z.object({ retries: z.int(), spec_updates: z.int(), total: z.int() }),
  reviewed: z.object({ design: ReviewReferenceSchema.nullable(), implementation: ReviewReferenceSchema.nullable() }),
  history: z.array(
    z.object({ batch: z.string(), kind: z.string(), at: z.string(), verdict: z.string(), open: z.int() }),
  ),
  changelog: z.array(z.object({ version: z.string(), action: z.string(), at: z.string() })),
  impact: z
    .object({
      class: z.string(),
      since: z.string().nullable(),
      changes: z.array(z.string()),
      affected: z.array(z.object({ feature: z.string(), reach: z.string(), follows: z.string(), why: z.string() })),
    })
    .optional(),
  ...pendingSummaryFields,
});

export const FeaturesOverviewSchema = z.object({
  features: z.int(),
  phases: z.record(z.string(), z.int()),
  waves: z.array(z.object({ wave: z.int(), features: z.int(), done: z.int() })),
  blocked: z.array(z.object({ feature: z.string(), by: z.array(z.string()) })),
  run: z.enum(["never", "on", "stopped"]),
});
