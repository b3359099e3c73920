import * as z from "zod";
import { MAX_DOCUMENT, MAX_NAME, MAX_SENTENCE, createTextField, MAX_TITLE } from "#kernel/operations/text-fields.ts";

const STEERING_TEXT_LIMIT = 20_000;
const STEERING_ACTION_NAMES = ["create", "update", "delete", "custom", "profile", "show"] as const;
const RESET_WORDS = ["RESET"] as const;

export const ManageSteeringInputSchema = z.strictObject({
  action: z.enum(STEERING_ACTION_NAMES).optional().describe("Default show"),
  name: createTextField(MAX_NAME, "File: product, tech, a topic").optional(),
  section: createTextField(MAX_TITLE, "Heading to update").optional(),
  text: createTextField(MAX_DOCUMENT, "Added to the section; or a whole topic").optional(),
  replace: z.boolean().optional().describe("Instead of adding"),
  purpose: createTextField(STEERING_TEXT_LIMIT, "What it is").optional(),
  users: createTextField(STEERING_TEXT_LIMIT, "Who uses it").optional(),
  capabilities: createTextField(STEERING_TEXT_LIMIT, "What they can do").optional(),
  vision: createTextField(STEERING_TEXT_LIMIT, "The user's").optional(),
  success_criteria: createTextField(STEERING_TEXT_LIMIT, "One a line").optional(),
  anti_goals: createTextField(STEERING_TEXT_LIMIT, "One a line").optional(),
  profile: createTextField(MAX_NAME, "Stack, or none; default: detected").optional(),
  reason: createTextField(MAX_SENTENCE).optional(),
  confirm: z.enum(RESET_WORDS).optional().describe("Typed by the user"),
});

export const ManageSteeringOutputSchema = z.object({
  action: z.enum(STEERING_ACTION_NAMES),
  written: z.array(z.string()),
  kept: z.array(z.string()),
  aside: z.array(z.object({ from: z.string(), to: z.string() })),
  decision: z.string().optional(),
  /** Stacks that filled the files, and suggested permissions. */
  profile: z.object({ stacks: z.array(z.string()), permissions: z.array(z.string()) }).optional(),
  /** All files for `show`, otherwise the written ones. */
  files: z.array(z.object({ name: z.string(), path: z.string(), lines: z.int(), tokens: z.int(), blanks: z.int() })),
  missing: z.array(z.string()),
  blanks: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })),
  intent: z
    .object({ vision: z.string(), success_criteria: z.array(z.string()), anti_goals: z.array(z.string()) })
    .optional(),
  notes: z.array(z.string()),
});
