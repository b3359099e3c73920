import * as z from "zod";
import { VerifiedChain } from "../../model/gate/receipt-verification.ts";
import { MAX_NAME, createTextField } from "#kernel/operations/text-fields.ts";
import {
  CheckTimesOutput,
  GateAttemptsOutput,
  GateCheckOutput,
  sessionField,
  testRemovalsField,
  WorkflowViewOutput,
} from "#planning/operations/workflow/schema.ts";

const gateWorkflowField = createTextField(MAX_NAME, "Default: current").optional();

export const RunGateInput = z.strictObject({
  id: gateWorkflowField,
  tests_removed: testRemovalsField,
  session: sessionField,
});

export const TestEvidenceInput = z.strictObject({ id: gateWorkflowField, session: sessionField });

export const MutationCheckInput = z.strictObject({
  id: createTextField(MAX_NAME, "AUTH-001 or AUTH-001.AC-1").optional(),
  most: z.int().min(1).max(200).optional().describe("Mutations; default 20"),
  minutes: z.int().min(1).max(60).optional().describe("Default 5"),
  session: sessionField,
});

export const RunGateOutput = z.object({
  /** True if only the user's approval is missing. */
  passed: z.boolean(),
  can_advance: z.boolean(),
  gate: z.string(),
  checks: z.array(GateCheckOutput),
  attempts: GateAttemptsOutput,
  took: CheckTimesOutput,
  receipt: z.string().optional(),
  /** Changed files that were not judged. */
  unattributed: z.array(z.string()).optional(),
  notes: z.array(z.string()),
  workflow: WorkflowViewOutput,
});

export const TestEvidenceOutput = z.object({
  id: z.string(),
  tests: z.array(
    z.object({
      file: z.string(),
      name: z.string(),
      line: z.int(),
      /** Why it failed without the implementation; absent if it did not fail. */
      red: z.string().optional(),
      green: z.boolean(),
    }),
  ),
  problems: z.array(z.object({ problem: z.string(), line: z.int().optional() })),
  failing: z.array(z.string()),
});

export const MutationCheckOutput = z.object({
  id: z.string(),
  passed: z.boolean(),
  criteria: z.array(
    z.object({
      name: z.string(),
      tried: z.int(),
      detected: z.int(),
      invalid: z.int(),
      left: z.int(),
      problem: z.string().optional(),
      survivors: z.array(z.object({ file: z.string(), line: z.int(), before: z.string(), after: z.string() })),
    }),
  ),
});

export const VerifyReceiptsInput = z.strictObject({
  id: createTextField(MAX_NAME, "AUTH-001 or user-login; default: all").optional(),
  run: z.boolean().optional().describe("Repeat the newest receipts' checks"),
  strict: z.boolean().optional().describe("Findings fail too; newest receipts must match"),
});

export const VerifyReceiptsOutput = z.object({
  passed: z.boolean(),
  strict: z.boolean(),
  summary: z.string(),
  tree: z.string().optional(),
  workflows: z.array(VerifiedChain),
  findings: z.array(z.string()),
  strays: z.array(z.object({ path: z.string(), problem: z.string() })),
  /** Answers outside of gates that rest on an agent's word. */
  unproved: z.array(z.object({ id: z.string(), path: z.string(), problem: z.string() })),
});
