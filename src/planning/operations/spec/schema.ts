import * as z from "zod";
import { MAX_NAME, createTextField } from "#kernel/operations/text-fields.ts";

export const ValidateSpecsInput = z.strictObject({
  id: createTextField(MAX_NAME, "AUTH-001; default: every spec").optional(),
  depth: z.enum(["draft", "complete"]).optional().describe("Default: by the spec's status"),
  fix: z.boolean().optional().describe("Rewrite older forms; comments stay"),
});

const SpecProblemsOutput = z.array(
  z.object({ problem: z.string(), line: z.int().optional(), field: z.string().optional() }),
);

export const ValidateSpecsOutput = z.object({
  passed: z.boolean(),
  specs: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      kind: z.string(),
      status: z.string().optional(),
      depth: z.string(),
      problems: SpecProblemsOutput,
      older: z.array(z.object({ line: z.int(), from: z.string(), to: z.string() })),
      rewritten: z.boolean(),
      totals: z.array(z.object({ option: z.string(), total: z.number() })).optional(),
    }),
  ),
  strays: z.array(z.object({ path: z.string(), problem: z.string() })),
});
