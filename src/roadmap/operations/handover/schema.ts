import * as z from "zod";
import { MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import { createTextField, createTokenLimitField, MAX_SENTENCE } from "#kernel/operations/text-fields.ts";
import { DECISION_TYPES } from "../../model/lead/lead-state.ts";

const HANDOVER_TEXT_LIMIT = 20_000;

export const WriteHandoverInputSchema = z.strictObject({
  resume: z.boolean().optional().describe("Only the resume brief"),
  goal: createTextField(MAX_SENTENCE, "Of the session").optional(),
  accomplished: createTextField(HANDOVER_TEXT_LIMIT, "Done").optional(),
  next: createTextField(MAX_SENTENCE, "First step").optional(),
  decisions: createTextField(HANDOVER_TEXT_LIMIT, "That hold on").optional(),
  warnings: createTextField(HANDOVER_TEXT_LIMIT, "Caveats").optional(),
  tone: createTextField(HANDOVER_TEXT_LIMIT, "Mood and nuances").optional(),
  exceptions: createTextField(HANDOVER_TEXT_LIMIT, "Deviations from steering").optional(),
  goals: createTextField(HANDOVER_TEXT_LIMIT, "Progress on them").optional(),
  steps: createTextField(HANDOVER_TEXT_LIMIT, "How to start: 1-3").optional(),
  max_tokens: createTokenLimitField(MIN_NAMED_ANSWER_TOKENS),
});

export const WriteHandoverOutputSchema = z.object({
  mode: z.enum(["asked", "resume", "written"]),
  branch: z.string().optional(),
  /** `none`: there is not yet a `session.md`. `draft`: unreviewed since it was drafted. */
  state: z.enum(["none", "draft", "polished"]),
  parts: z.array(z.object({ about: z.string(), text: z.string() })),
  omitted: z.int(),
  questions: z.array(z.string()),
  written: z.array(z.string()),
  decision: z.string().optional(),
  notes: z.array(z.string()),
});

export const RecordDecisionInputSchema = z.strictObject({
  summary: createTextField(MAX_SENTENCE, "In a line"),
  type: z.enum(DECISION_TYPES).optional().describe("Default USER_DECISION"),
  reason: createTextField(MAX_SENTENCE).optional(),
  context: createTextField(MAX_SENTENCE, "What prompted it").optional(),
  decision: createTextField(MAX_SENTENCE, "At length").optional(),
  impact: createTextField(MAX_SENTENCE, "What it affects").optional(),
  source: createTextField(MAX_SENTENCE, "Who decided; default: the user").optional(),
  steering_ref: createTextField(MAX_SENTENCE, "STEERING_EXCEPTION: from what").optional(),
});

export const RecordDecisionOutputSchema = z.object({
  decision: z.string(),
  type: z.enum(DECISION_TYPES),
  summary: z.string(),
  written: z.array(z.string()),
  notes: z.array(z.string()),
});
