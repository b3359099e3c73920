import * as z from "zod";
import { createTextField, createTextListField, MAX_NAME, MAX_SENTENCE } from "#kernel/operations/text-fields.ts";
import { REVIEW_KINDS } from "../../model/review/review-kinds.ts";
import { consensusField, pendingSummaryFields } from "../management/schema.ts";

export const BeginReviewInputSchema = z.strictObject({
  kind: z.enum(REVIEW_KINDS),
  feature: createTextField(MAX_NAME, "Name").optional(),
  tasks: createTextListField(MAX_NAME, "Id", "Only these tasks of it, as 1.2"),
  wave: z.int().min(1).max(9_999).optional().describe("Waves 1 to this one"),
  cross_check: z.boolean().optional().describe("All features instead"),
  consensus: consensusField,
  history: z.boolean().optional().describe("Only show the reviews so far"),
});

export const WaiveFindingInputSchema = z.strictObject({
  scope: createTextField(MAX_NAME, "Feature, or all: reviews of waves and of everything"),
  batch: createTextField(MAX_NAME, "As B2"),
  finding: createTextField(MAX_NAME, "As F1"),
  reason: createTextField(MAX_SENTENCE, "Why it may stay"),
});

const findingPlace = { severity: z.string(), category: z.string(), location: z.string() };

export const BatchViewSchema = z.object({
  batch: z.string(),
  kind: z.string(),
  scope: z.string(),
  at: z.string(),
  verdict: z.string(),
  disposition: z.string(),
  counts: z.object({ C: z.int(), H: z.int(), M: z.int(), L: z.int() }),
  override: z.string().optional(),
  missing: z.array(z.string()),
  findings: z.array(
    z.object({
      id: z.string(),
      ...findingPlace,
      description: z.string(),
      seen: z.string(),
      waived: z.string().optional(),
    }),
  ),
  mended: z.array(z.object(findingPlace)),
});

export const BeginReviewOutputSchema = z.object({
  kind: z.enum(REVIEW_KINDS),
  scope: z.string(),
  state: z.enum(["begun", "open", "history"]),
  batch: z.string().optional(),
  inspectors: z.array(z.string()),
  tracked: z.int(),
  history: z.array(BatchViewSchema),
  omitted: z.int(),
  ...pendingSummaryFields,
});

export const WaiveFindingOutputSchema = BatchViewSchema.extend({ before: z.string(), ...pendingSummaryFields });
