import * as z from "zod";
import * as fields from "#kernel/operations/text-fields.ts";

export const StartRunInputSchema = z.strictObject({
  work: fields.createTextField(fields.MAX_TITLE, "A change, a workflow, or new work; default: the roadmap").optional(),
  plan: z.boolean().optional().describe("Forecast runs and tokens; start nothing"),
  once: z.boolean().optional().describe("Do what is ready now, then end"),
  agent: fields.createTextField(fields.MAX_NAME, "Agents at once, as claude=2,codex=1").optional(),
  cap_tokens: z.int().min(0).max(1_000_000_000_000).optional().describe("Token limit; 0 removes it"),
  cap_usd: z.int().min(0).max(1_000_000).optional().describe("Cost limit in US dollars; 0 removes it"),
  gate: z.boolean().optional().describe("Ask after each review and each wave"),
  attach: z.boolean().optional().describe("Show the run that another process leads; start nothing"),
  until: z.enum(["wave", "feature"]).optional().describe("End when the next one is finished"),
});

export const StartWorkerInputSchema = z.strictObject({
  agent: fields.createTextField(fields.MAX_NAME, "Agents at once, as claude=2,codex=1").optional(),
  once: z.boolean().optional().describe("End with the run that another clone leads"),
});

const actionRow = z.object({ action: z.string(), why: z.string() });

export const StartRunOutputSchema = z.object({
  run: z.string(),
  /** The one piece of work that was named. */
  work: z.string().optional(),
  branch: z.string(),
  landed: z.int(),
  failed: z.array(z.string()),
  waiting: z.array(actionRow),
  questions: z.array(z.object({ action: z.string(), detail: z.string(), choices: z.array(z.string()) })),
  tokens: z.number(),
  usd: z.number(),
  complete: z.boolean(),
  ended: z.string(),
  notes: z.array(z.string()),
});

export const CheckAgentsInputSchema = z.strictObject({
  agent: fields
    .createTextField(fields.MAX_NAME, "Agents, as claude,codex; default: those of the settings, or all")
    .optional(),
});

export const CheckAgentsOutputSchema = z.object({
  agents: z.array(
    z.object({
      agent: z.string(),
      version: z.string().optional(),
      /** Why it cannot work. Absent if it answered. */
      problem: z.string().optional(),
      /** Whether it sees Tenon's MCP server, and whether Tenon's hooks ran. */
      tools: z.boolean().optional(),
      hooks: z.boolean().optional(),
      notes: z.array(z.string()).optional(),
    }),
  ),
});

export const StopActionInputSchema = z.strictObject({
  action: fields.createTextField(200, "Its id"),
});

export const StopActionOutputSchema = z.object({
  action: z.string(),
  /** Its files, if it has any. */
  worktree: z.string().optional(),
  /** Whether a process leads the run. */
  isLed: z.boolean().optional(),
  /** The one piece of work of the run. */
  work: z.string().optional(),
});

export const ShowRunInputSchema = z.strictObject({
  action: fields.createTextField(200, "Its id").optional(),
});

export const ShowRunOutputSchema = z.object({
  run: z.string().optional(),
  actions: z.array(
    z.object({
      action: z.string(),
      state: z.string(),
      agent: z.string(),
      since: z.string(),
      tokens: z.number(),
      usd: z.number(),
      problems: z.array(z.string()),
    }),
  ),
  transcript: z.object({ file: z.string(), text: z.string() }).optional(),
});
