import * as z from "zod";
import { MAX_DOCUMENT, MAX_NAME, MAX_SENTENCE, createTextField } from "../text.ts";
import { sessionField } from "../workflow/schema.ts";

const LONGEST_ID = 200;

export const Next = z.strictObject({
  limit: z.int().min(1).max(20).optional().describe("Default 10"),
  feature: createTextField(MAX_NAME, "Of this one alone").optional(),
  action: createTextField(LONGEST_ID, "Its brief once more").optional(),
  peek: z.boolean().optional().describe("Only look"),
  session: sessionField,
});

export const Report = z.strictObject({
  action: createTextField(LONGEST_ID, "Its id"),
  report: createTextField(MAX_DOCUMENT, "Completion text, CPF or JSON, as its brief asks").optional(),
  answer: createTextField(40, "To a question: the user's choice").optional(),
  said: createTextField(MAX_SENTENCE, "The user's words").optional(),
  declined: z.boolean().optional().describe("The user wants no commit"),
  lost: z.boolean().optional().describe("Who did it is gone"),
  tokens: z.int().min(0).max(1_000_000_000).optional().describe("What it cost"),
});

const kind = z.enum(["spawn", "gate", "ask", "commit"]);

export const ActionView = z.object({
  id: z.string(),
  kind,
  role: z.string().optional(),
  about: z.string(),
  question: z.string().optional(),
  choices: z.array(z.string()).optional(),
  detail: z.string().optional(),
  message: z.string().optional(),
  paths: z.array(z.string()).optional(),
  estimate: z.int().optional(),
});

const GivenView = ActionView.extend({
  /** Missing if the answer would be too long. Ask for it with the action's id. */
  brief: z.string().optional(),
  since: z.string().optional(),
  again: z.boolean(),
});

const OutView = z.object({ id: z.string(), about: z.string(), session: z.string(), since: z.string() });

export const DueView = {
  due: z.array(ActionView),
  more: z.int(),
  /** Reviews that start with the next `sdd_next` call. */
  reviews: z.array(z.string()),
  idle: z.string().optional(),
};

export const NextActions = z.object({
  session: z.string(),
  peek: z.boolean(),
  actions: z.array(GivenView),
  more: z.int(),
  out: z.array(OutView),
  dismissed: z.array(z.string()),
  idle: z.string().optional(),
  notes: z.array(z.string()),
});

export const Reported = z.object({
  action: z.string(),
  kind: kind.optional(),
  /** `unread`: the text has the wrong form and nothing changed. */
  outcome: z.enum(["applied", "repeated", "refused", "unread", "lost"]),
  open: z.boolean(),
  problems: z.array(z.object({ problem: z.string(), line: z.int().optional() })),
  form: z.string().optional(),
  notes: z.array(z.string()),
  receipt: z.string().optional(),
  ...DueView,
});
