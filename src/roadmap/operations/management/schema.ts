import * as z from "zod";
import * as fields from "#kernel/operations/text-fields.ts";
import { MAX_CONSENSUS } from "../../model/review/consensus.ts";
import { OpenQuestionOutput } from "#planning/operations/approval/schema.ts";
import { sessionField } from "#planning/operations/workflow/schema.ts";

const MAX_ACTION_ID = 200;

export const consensusField = z.int().min(1).max(MAX_CONSENSUS).optional().describe("Per view");

export const NextActionsInputSchema = z.strictObject({
  limit: z.int().min(1).max(20).optional().describe("Default 10"),
  feature: fields.createTextField(fields.MAX_NAME, "Only this one").optional(),
  peek: z.boolean().optional().describe("Dry run"),
  session: sessionField,
});

export const ShowBriefInputSchema = z.strictObject({
  action: fields.createTextField(MAX_ACTION_ID, "Its id"),
});

export const ShowBriefOutputSchema = z.object({
  action: z.string(),
  role: z.string(),
  tokens: z.int(),
  brief: z.string(),
});

export const ReportActionInputSchema = z.strictObject({
  action: fields.createTextField(MAX_ACTION_ID, "Its id"),
  report: fields.createTextField(fields.MAX_DOCUMENT, "As its brief asks").optional(),
  answer: fields.createTextField(fields.MAX_SENTENCE, "The user's words").optional(),
  said: fields.createTextField(fields.MAX_SENTENCE, "Their reason").optional(),
  declined: z.boolean().optional().describe("No commit"),
  lost: z.boolean().optional().describe("The agent is gone"),
  confirm: fields.createTextField(fields.MAX_NAME, "Token of a correction").optional(),
  tokens: z.int().min(0).max(1_000_000_000).optional().describe("What it cost"),
});

const actionKindSchema = z.enum(["spawn", "gate", "ask", "commit"]);

export const ActionSummarySchema = z.object({
  id: z.string(),
  kind: actionKindSchema,
  role: z.string().optional(),
  views: z.array(z.string()).optional(),
  about: z.string(),
  question: z.string().optional(),
  choices: z.array(z.string()).optional(),
  detail: z.string().optional(),
  message: z.string().optional(),
  paths: z.array(z.string()).optional(),
  estimate: z.int().optional(),
});

const AssignedActionSchema = ActionSummarySchema.extend({
  brief: z.string().optional(),
  /** The branch to create for a commit, if another one is checked out. */
  branch: z.string().optional(),
  since: z.string().optional(),
  again: z.boolean(),
  answered: z.string().optional(),
});

const OtherAssignmentSchema = z.object({ id: z.string(), about: z.string(), session: z.string(), since: z.string() });

export const pendingSummaryFields = {
  due: z.array(ActionSummarySchema),
  more: z.int(),
  /** Reviews that start with the next `sdd_next` call. */
  reviews: z.array(z.string()),
  idle: z.string().optional(),
};

export const NextActionsOutputSchema = z.object({
  session: z.string(),
  peek: z.boolean(),
  actions: z.array(AssignedActionSchema),
  more: z.int(),
  out: z.array(OtherAssignmentSchema),
  dismissed: z.array(z.string()),
  idle: z.string().optional(),
  notes: z.array(z.string()),
});

export const ReportActionOutputSchema = z.object({
  action: z.string(),
  kind: actionKindSchema.optional(),
  /** `unread`: the text has the wrong form and nothing changed. */
  outcome: z.enum(["applied", "repeated", "refused", "unread", "lost"]),
  open: z.boolean(),
  problems: z.array(z.object({ problem: z.string(), line: z.int().optional() })),
  form: z.string().optional(),
  /** Accepts `form` as the report. Absent if something is missing from it. */
  confirm: z.string().optional(),
  notes: z.array(z.string()),
  receipt: z.string().optional(),
  /** Open until the user answers. */
  user_question: OpenQuestionOutput.optional(),
  ...pendingSummaryFields,
});

export const MANAGE_ACTIONS = [
  "show",
  "create",
  "run",
  "stop",
  "update",
  "revise",
  "unblock",
  "accept",
  "delete",
] as const;

export const ManageRoadmapInputSchema = z.strictObject({
  action: z.enum(MANAGE_ACTIONS).optional().describe("Default show"),
  features: z
    .array(
      z.strictObject({
        name: fields.createTextField(fields.MAX_NAME, "As user-login"),
        description: fields.createTextField(fields.MAX_SENTENCE).optional(),
        dependencies: z.array(fields.createTextField(fields.MAX_NAME, "Name")).optional(),
        foundation: z.boolean().optional(),
      }),
    )
    .optional()
    .describe("create, update"),
  names: fields.createTextListField(fields.MAX_NAME, "Name", "revise, unblock, accept"),
  intent: fields.createTextField(fields.MAX_SENTENCE, "revise: what to change").optional(),
  how: z.enum(["fix", "skip", "abort"]).optional(),
  gate: z.boolean().optional().describe("run: ask after each step"),
  partition: z.boolean().optional().describe("run: split shared files"),
  cap_tokens: z.int().min(0).max(1_000_000_000).optional().describe("run: limit; 0: none"),
  consensus: consensusField,
  plan: z.boolean().optional().describe("run: forecast"),
  apply: fields.createTextListField(fields.MAX_NAME, "Id", "update: ids, or all"),
  reason: fields.createTextField(fields.MAX_SENTENCE).optional(),
  confirm: fields.createTextField(fields.MAX_NAME, "revise: token; delete: RESET").optional(),
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
    z.object({ id: z.string(), feature: z.string(), summary: z.string(), impact: z.string(), applied: z.boolean() }),
  ),
  preview: z.array(z.object({ feature: z.string(), reach: z.string(), summary: z.string() })),
  in_progress: z.array(z.string()),
  token: z.string().optional(),
  user_question: OpenQuestionOutput.optional(),
  notes: z.array(z.string()),
  ...pendingSummaryFields,
  next: z.array(z.object({ operation: z.string(), input: z.record(z.string(), z.unknown()).optional() })),
});

export const RoadmapGraphOutputSchema = z.object({
  run: z.string(),
  cap: z.number().nullable(),
  spent: z.number(),
  features: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      phase: z.string(),
      wave: z.int().nullable(),
      dependencies: z.array(z.string()),
      critical: z.boolean(),
      fixes: z.int(),
      files: z.array(z.string()),
    }),
  ),
  forecast: z.array(
    z.object({ wave: z.int(), features: z.int(), runs: ForecastRangeSchema, tokens: ForecastRangeSchema }),
  ),
  /** Tokens of agents that reported them: as estimated before, and as used. */
  spending: z.array(z.object({ role: z.string(), runs: z.int(), expected: z.number(), actual: z.number() })),
  in_progress: z.array(z.object({ action: z.string(), session: z.string(), at: z.string(), estimate: z.number() })),
});
