import { expect, test } from "vitest";
import { REVIEW_INSPECTORS, estimateRoleTokens, ROADMAP_ROLES, ROLE_FACTS, formatAllowedTools } from "./agent-roles.ts";

test("includes every inspector, every auditor and three other roles", () => {
  const inspectors = Object.values(REVIEW_INSPECTORS).flat();
  expect(ROADMAP_ROLES.toSorted()).toEqual(
    [
      "architect",
      "task-generator",
      "builder",
      ...inspectors.map((name) => `inspector-${name}`),
      ...Object.keys(REVIEW_INSPECTORS).map((kind) => `auditor-${kind}`),
    ].toSorted(),
  );
});

test("gives a write tool exactly to the roles that write files", () => {
  expect(
    ROADMAP_ROLES.filter((role) => ROLE_FACTS[role].tools.includes("write") !== (ROLE_FACTS[role].writes !== null)),
  ).toEqual([]);
});

test.each([
  [["read"], "read files"],
  [["search", "read"], "read files and search in them"],
  [["read", "search", "run", "web"], "read files, search in them, run commands and search the web"],
] as const)("%j: may %s", (tools, text) => {
  expect(formatAllowedTools({ tools })).toBe(text);
});

test("estimates at least the budget of a role's brief", () => {
  expect(ROADMAP_ROLES.filter((role) => estimateRoleTokens(role) <= ROLE_FACTS[role].budget)).toEqual([]);
  expect(estimateRoleTokens("builder")).toBe(90_000);
});
