import * as z from "zod";
import { MAX_TITLE, createTextField } from "#kernel/operations/text-fields.ts";
import { CI_EXAMPLES, type CiExample, CI_CHECKS, CI_LEVELS } from "#checking/model/ci/ci-findings.ts";

export const CiQuery = z.strictObject({
  strict: z.boolean().optional().describe("Warnings fail too"),
  run: z.boolean().optional().describe("Also run the checks in a clean clone, with the packages of the lock file"),
  since: createTextField(MAX_TITLE, "List code without a receipt that changed since this commit").optional(),
});

export const CiReport = z.object({
  passed: z.boolean(),
  strict: z.boolean(),
  checks: z.array(
    z.object({
      check: z.enum(CI_CHECKS),
      passed: z.boolean(),
      summary: z.string(),
      errors: z.int(),
      warnings: z.int(),
    }),
  ),
  /** What a run with more options would check. */
  unchecked: z.array(z.string()),
  findings: z.array(
    z.object({
      check: z.enum(CI_CHECKS),
      kind: z.string(),
      level: z.enum(CI_LEVELS),
      problem: z.string(),
      path: z.string().optional(),
      line: z.int().optional(),
    }),
  ),
});

export const CiExampleQuery = z.strictObject({
  for: z.enum(Object.keys(CI_EXAMPLES) as [CiExample, ...CiExample[]]).describe("The CI system"),
});

export const CiExampleFile = z.object({ path: z.string(), text: z.string() });
