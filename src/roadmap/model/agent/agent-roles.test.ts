import { expect, test } from "vitest";
import { REVIEW_INSPECTORS, estimateRoleTokens, ROADMAP_ROLES, ROLE_FACTS, formatAllowedTools } from "./agent-roles.ts";

test("every inspector and auditor is a role, and there are three others", () => {
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

test("whoever writes nothing has no tool to write with, and whoever writes has one", () => {
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

test("a forecast is at least what the brief may cost", () => {
  expect(ROADMAP_ROLES.filter((role) => estimateRoleTokens(role) <= ROLE_FACTS[role].budget)).toEqual([]);
  expect(estimateRoleTokens("builder")).toBe(90_000);
});
