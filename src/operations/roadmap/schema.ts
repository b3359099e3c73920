import * as z from "zod";
import { DOCUMENT, NAME, SENTENCE, text } from "../text.ts";
import { session } from "../workflow/schema.ts";

const LONGEST_ID = 200;

export const Next = z.strictObject({
  limit: z.int().min(1).max(20).optional().describe("Default 10"),
  feature: text(NAME, "Of this one alone").optional(),
  action: text(LONGEST_ID, "Its brief once more").optional(),
  peek: z.boolean().optional().describe("Only look"),
  session,
});

export const Report = z.strictObject({
  action: text(LONGEST_ID, "Its id"),
  report: text(DOCUMENT, "Completion text, CPF or JSON, as its brief asks").optional(),
  answer: text(40, "To a question: the user's choice").optional(),
  said: text(SENTENCE, "The user's words").optional(),
  declined: z.boolean().optional().describe("The user wants no commit"),
  lost: z.boolean().optional().describe("Who did it is gone"),
  tokens: z.int().min(0).max(1_000_000_000).optional().describe("What it cost"),
});

const kind = z.enum(["spawn", "gate", "ask", "commit"]);

/** Something that is due, or that somebody is at work on. */
export const ActionView = z.object({
  id: z.string(),
  kind,
  role: z.string().optional(),
  /** What it is about, in a line. */
  about: z.string(),
  question: z.string().optional(),
  choices: z.array(z.string()).optional(),
  detail: z.string().optional(),
  message: z.string().optional(),
  paths: z.array(z.string()).optional(),
  /** Tokens that it will cost, as far as can be told. */
  estimate: z.int().optional(),
});

const GivenView = ActionView.extend({
  /** Nothing where the answer would be too long: ask for it by the action's id. */
  brief: z.string().optional(),
  since: z.string().optional(),
  /** Whether this session was given it before. */
  again: z.boolean(),
});

const OutView = z.object({ id: z.string(), about: z.string(), session: z.string(), since: z.string() });

/** What is due, in short. */
export const DueView = {
  due: z.array(ActionView),
  more: z.int(),
  /** Reviews that begin when somebody asks what to do. */
  reviews: z.array(z.string()),
  idle: z.string().optional(),
};

export const NextActions = z.object({
  session: z.string(),
  /** Whether nothing was handed out: the call only looked. */
  peek: z.boolean(),
  actions: z.array(GivenView),
  /** How many more are due, or would be. */
  more: z.int(),
  /** What others are at work on. */
  out: z.array(OutView),
  /** What this session was given and is to stop. */
  dismissed: z.array(z.string()),
  /** Why nothing is due. */
  idle: z.string().optional(),
  notes: z.array(z.string()),
});

export const Reported = z.object({
  action: z.string(),
  /** Not told of what is over. */
  kind: kind.optional(),
  /** `unread`: the text is not in the form that was asked for, and nothing was done. `lost`: so it was said to be. */
  outcome: z.enum(["applied", "repeated", "refused", "unread", "lost"]),
  /** Whether it can be reported again. */
  open: z.boolean(),
  problems: z.array(z.object({ problem: z.string(), line: z.int().optional() })),
  /** The form to send it in, where it was not read. */
  form: z.string().optional(),
  notes: z.array(z.string()),
  receipt: z.string().optional(),
  ...DueView,
});
