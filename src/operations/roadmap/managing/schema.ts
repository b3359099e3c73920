import * as z from "zod";
import { NAME, SENTENCE, text } from "../../text.ts";

export const ACTIONS = ["show", "create", "run", "stop", "update", "revise", "unblock", "delete"] as const;

export const Manage = z.strictObject({
  action: z.enum(ACTIONS).optional().describe("Default show"),
  features: z
    .array(
      z.strictObject({
        name: text(NAME, "As user-login"),
        description: text(SENTENCE, "What it shall do").optional(),
        dependencies: z.array(text(NAME, "Name")).optional(),
        foundation: z.boolean().optional(),
      }),
    )
    .optional()
    .describe("create, update: what is wanted"),
  names: z.array(text(NAME, "Name")).optional().describe("revise, unblock: features"),
  intent: text(SENTENCE, "revise: what shall be otherwise").optional(),
  how: z.enum(["fix", "skip", "abort"]).optional(),
  gate: z.boolean().optional().describe("run: ask the user after each review and wave"),
  cap_tokens: z.int().min(1).optional().describe("run: stop there"),
  plan: z.boolean().optional().describe("run: only forecast"),
  apply: z.array(text(NAME, "Id")).optional().describe("update: ids of differences, or all"),
  reason: text(SENTENCE, "Why").optional(),
  confirm: text(NAME, "revise: token of the preview; delete: RESET").optional(),
});
