import { expect, test } from "vitest";
import { describeLostTest, suggestGateFixes } from "./gate-fixes.ts";

test.each([
  ["removed", true],
  ["skipped", true],
  ["expected-to-fail", true],
  ["unrun", true],
  ["only", false],
] as const)("asks for a reason for a test that is %s: %s", (how, isAsked) => {
  const problems = [{ problem: describeLostTest("tests/add.test.ts", "sums > adds: nothing", how) }];
  const call = { operation: "gate.run", input: { id: "AUTH-001" } } as const;
  const steps = suggestGateFixes([{ check: "tests-kept", status: "failed", problems }], undefined, [call]);
  const tests_removed = [{ test: "sums > adds: nothing", reason: "…" }];
  expect(steps.at(-1)).toEqual(isAsked ? { ...call, input: { ...call.input, tests_removed } } : call);
});
