import { expect, test } from "vitest";
import { isWorkflowId, parseWorkflowId } from "#kernel/model/workflow-id.ts";
import {
  computeNextWorkflowId,
  parseWorkflowNumber,
  deriveIdPrefix,
  parseWorkflowPrefix,
} from "./workflow-lifecycle.ts";

test.each([
  ["feature", "Auth with a second factor", "AUTH"],
  ["feature", "2FA for all", "FA"],
  ["feature", "A é", "FEAT"],
  ["feature", "Éclair shop", "ECLAIR"],
  ["feature", "日本", "FEAT"],
  ["feature", "Internationalisation", "INTERNATIONA"],
  ["bugfix", "Auth fails", "BUG"],
  ["research", "Auth providers", "RES"],
] as const)("starts a %s called %j with %s", (kind, title, prefix) => {
  expect(deriveIdPrefix(kind, title)).toBe(prefix);
});

test("never assigns a number twice", () => {
  expect(computeNextWorkflowId("AUTH", [], 0)).toBe("AUTH-001");
  expect(computeNextWorkflowId("AUTH", ["AUTH-007", "BUG-042", "AUTHX-099"], 3)).toBe("AUTH-008");
  expect(computeNextWorkflowId("AUTH", ["AUTH-007"], 41)).toBe("AUTH-042");
  expect(computeNextWorkflowId("BUG", ["BUG-999"], 0)).toBe("BUG-1000");
});

test.each(["AUTH-001", "V2-001", "A-123456", "AUTH2-0001"])("%s is a workflow id", (id) => {
  const parsed = parseWorkflowId(id);
  expect([
    isWorkflowId(id),
    `${parseWorkflowPrefix(parsed)}-`.length + String(parseWorkflowNumber(parsed)).length > 2,
  ]).toEqual([true, true]);
});

test.each(["", "auth-001", "AUTH-01", "AUTH", "-001", "1A-001", "AUTH-001 ", "../A-001", "A-1234567"])(
  "%j is not a workflow id",
  (id) => {
    expect(isWorkflowId(id)).toBe(false);
  },
);
