import * as z from "zod";
import { DECISION_TYPES } from "#domain/roadmap/lead/event.ts";
import { LOWEST_NAMING } from "../fit.ts";
import { ceiling, SENTENCE, text } from "../text.ts";

const PAGE = 20_000;

export const Handover = z.strictObject({
  resume: z.boolean().optional().describe("Only the brief to go on by"),
  goal: text(SENTENCE, "Of the session").optional(),
  accomplished: text(PAGE, "Done").optional(),
  next: text(SENTENCE, "First step of who goes on").optional(),
  decisions: text(PAGE, "That hold on").optional(),
  warnings: text(PAGE, "Caveats").optional(),
  tone: text(PAGE, "The user's mood and nuances").optional(),
  exceptions: text(PAGE, "Meant deviations from steering").optional(),
  goals: text(PAGE, "Progress on them").optional(),
  steps: text(PAGE, "How to start: 1-3").optional(),
  max_tokens: ceiling(LOWEST_NAMING),
});

const Part = z.object({ about: z.string(), text: z.string() });

export const HandedOver = z.object({
  mode: z.enum(["asked", "resume", "written"]),
  branch: z.string().optional(),
  /** `none`: there is not yet a `session.md`. `draft`: unreviewed since it was drafted. */
  state: z.enum(["none", "draft", "polished"]),
  parts: z.array(Part),
  omitted: z.int(),
  questions: z.array(z.string()),
  written: z.array(z.string()),
  decision: z.string().optional(),
  notes: z.array(z.string()),
});

export const Decide = z.strictObject({
  summary: text(SENTENCE, "In a line"),
  type: z.enum(DECISION_TYPES).optional().describe("Default USER_DECISION"),
  reason: text(SENTENCE, "Why").optional(),
  context: text(SENTENCE, "What asked for it").optional(),
  decision: text(SENTENCE, "At length").optional(),
  impact: text(SENTENCE, "What it reaches").optional(),
  source: text(SENTENCE, "Whose; default the user's").optional(),
  steering_ref: text(SENTENCE, "STEERING_EXCEPTION: from what").optional(),
});

export const Decided = z.object({
  decision: z.string(),
  type: z.enum(DECISION_TYPES),
  summary: z.string(),
  written: z.array(z.string()),
  notes: z.array(z.string()),
});
