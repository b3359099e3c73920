import { expect, test } from "vitest";
import { isWorkflowId, parseWorkflowId } from "./workflow-id.ts";

test.each(["AUTH-001", "A-123456", "BUG-042", "RES-007", "H2-0001"])("accepts %s as the id of a spec", (text) => {
  expect(parseWorkflowId(text)).toBe(text);
});

test.each([
  ["", "empty"],
  ["auth-001", "small letters"],
  ["AUTH-01", "two digits"],
  ["AUTH-1234567", "seven digits"],
  ["AUTH_001", "no hyphen"],
  ["AUTH-API-001", "two words"],
  ["1A-001", "a digit first"],
  ["../AUTH-001", "a path"],
  ["AUTH-001\n", "a line break"],
  ["АUTH-001", "a Cyrillic letter"],
  [`${"A".repeat(60)}-001`, "too long"],
])("rejects %j: %s", (text) => {
  expect(isWorkflowId(text)).toBe(false);
  expect(() => parseWorkflowId(text)).toThrow(expect.objectContaining({ code: "workflow.bad-id" }));
});
