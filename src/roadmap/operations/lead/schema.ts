import * as z from "zod";
import { MAX_DOCUMENT, MAX_NAME, MAX_SENTENCE, createTextField } from "#kernel/operations/text-fields.ts";
import { sessionField } from "#planning/operations/workflow/schema.ts";

const MAX_ACTION_ID = 200;

export const NextActionsInputSchema = z.strictObject({
  limit: z.int().min(1).max(20).optional().describe("Default 10"),
  feature: createTextField(MAX_NAME, "Of this one alone").optional(),
  action: createTextField(MAX_ACTION_ID, "Its brief once more").optional(),
  peek: z.boolean().optional().describe("Only look"),
  session: sessionField,
});

export const ReportActionInputSchema = z.strictObject({
  action: createTextField(MAX_ACTION_ID, "Its id"),
  report: createTextField(MAX_DOCUMENT, "Completion text, CPF or JSON, as its brief asks").optional(),
  answer: createTextField(40, "To a question: the user's choice").optional(),
  said: createTextField(MAX_SENTENCE, "The user's words").optional(),
  declined: z.boolean().optional().describe("The user wants no commit"),
  lost: z.boolean().optional().describe("Who did it is gone"),
  tokens: z.int().min(0).max(1_000_000_000).optional().describe("What it cost"),
});

const actionKindSchema = z.enum(["spawn", "gate", "ask", "commit"]);

export const ActionSummarySchema = z.object({
  id: z.string(),
  kind: actionKindSchema,
  role: z.string().optional(),
  about: z.string(),
  question: z.string().optional(),
  choices: z.array(z.string()).optional(),
  detail: z.string().optional(),
  message: z.string().optional(),
  paths: z.array(z.string()).optional(),
  estimate: z.int().optional(),
});

const AssignedActionSchema = ActionSummarySchema.extend({
  /** Missing if the answer would be too long. Ask for it with the action's id. */
  brief: z.string().optional(),
  since: z.string().optional(),
  again: z.boolean(),
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
  notes: z.array(z.string()),
  receipt: z.string().optional(),
  ...pendingSummaryFields,
});
