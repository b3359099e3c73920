import * as z from "zod";
import { pendingSummaryFields } from "../lead/schema.ts";
import { MAX_NAME, MAX_SENTENCE, createTextField, createTextListField } from "#kernel/operations/text-fields.ts";

export const MANAGE_ACTIONS = ["show", "create", "run", "stop", "update", "revise", "unblock", "delete"] as const;

export const ManageRoadmapInputSchema = z.strictObject({
  action: z.enum(MANAGE_ACTIONS).optional().describe("Default show"),
  features: z
    .array(
      z.strictObject({
        name: createTextField(MAX_NAME, "As user-login"),
        description: createTextField(MAX_SENTENCE, "What it shall do").optional(),
        dependencies: z.array(createTextField(MAX_NAME, "Name")).optional(),
        foundation: z.boolean().optional(),
      }),
    )
    .optional()
    .describe("create, update: what is wanted"),
  names: createTextListField(MAX_NAME, "Name", "revise, unblock: features"),
  intent: createTextField(MAX_SENTENCE, "revise: what shall be otherwise").optional(),
  how: z.enum(["fix", "skip", "abort"]).optional(),
  gate: z.boolean().optional().describe("run: ask the user after each review and wave"),
  partition: z.boolean().optional().describe("run: split files that two features claim; else one waits"),
  cap_tokens: z.int().min(0).max(1_000_000_000).optional().describe("run: stop there; 0: nowhere"),
  plan: z.boolean().optional().describe("run: only forecast"),
  apply: createTextListField(MAX_NAME, "Id", "update: ids of differences, or all"),
  reason: createTextField(MAX_SENTENCE, "Why").optional(),
  confirm: createTextField(MAX_NAME, "revise: token of the preview; delete: RESET").optional(),
});

const RunSummarySchema = z.object({
  state: z.enum(["never", "on", "stopped"]),
  is_gated: z.boolean(),
  why: z.string().nullable(),
  cap: z.int().nullable(),
  spent: z.int(),
});

const ForecastRangeSchema = z.object({ best: z.int(), worst: z.int() });

/** One shape for every action. Fields that an action does not use are empty. */
export const ManageRoadmapOutputSchema = z.object({
  action: z.enum(MANAGE_ACTIONS),
  passed: z.boolean(),
  said: z.string(),
  run: RunSummarySchema,
  features: z.array(
    z.object({
      name: z.string(),
      wave: z.int().nullable(),
      phase: z.string(),
      steps: z.record(z.string(), z.string()),
    }),
  ),
  omitted: z.int(),
  parallelism: z.array(z.string()),
  forecast: z.array(
    z.object({ wave: z.int(), features: z.int(), runs: ForecastRangeSchema, tokens: ForecastRangeSchema }),
  ),
  differences: z.array(
    z.object({ id: z.string(), feature: z.string(), says: z.string(), impact: z.string(), applied: z.boolean() }),
  ),
  preview: z.array(z.object({ feature: z.string(), reach: z.string(), says: z.string() })),
  in_progress: z.array(z.string()),
  token: z.string().optional(),
  notes: z.array(z.string()),
  ...pendingSummaryFields,
  next: z.array(z.object({ operation: z.string(), input: z.record(z.string(), z.unknown()).optional() })),
});
