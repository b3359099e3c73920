import * as z from "zod";
import { createTextField, MAX_NAME, MAX_SENTENCE } from "#kernel/operations/text-fields.ts";

export const OpenQuestionOutput = z.object({
  id: z.string(),
  key: z.string(),
  stage: z.string(),
  question: z.string(),
  path: z.string().optional(),
  choices: z.array(z.string()),
  /** True if the client reports the user's messages, so that a plain yes or no in the chat counts. */
  heard_here: z.boolean(),
});

export const AnswerQuestionInput = z.strictObject({
  id: createTextField(MAX_NAME, "What to approve; --list shows what waits").optional(),
  answer: createTextField(40, "Needed if there are more choices than yes and no").optional(),
  reject: z.boolean().optional().describe("Say no"),
  reason: createTextField(MAX_SENTENCE, "Why; the agent gets it").optional(),
  list: z.boolean().optional().describe("Only list what waits for you"),
});

export const AnswerQuestionOutput = z.object({
  answered: z.object({ id: z.string(), stage: z.string(), choice: z.string(), is_yes: z.boolean() }).optional(),
  /** Approvals of finished stages that an agent had only passed on. */
  confirmed: z.array(z.string()),
  open: z.array(
    z.object({
      id: z.string(),
      question: z.string(),
      path: z.string().optional(),
      choices: z.array(z.string()),
      asked_at: z.string(),
    }),
  ),
});
