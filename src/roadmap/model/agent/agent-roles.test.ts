import { expect, test } from "vitest";
import {
  REVIEW_INSPECTORS,
  estimateRoleTokens,
  ROADMAP_ROLES,
  ROLE_FACTS,
  formatAllowedTools,
  getActionRole,
} from "./agent-roles.ts";

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

test.each([
  ["cart/architect/1", "architect"],
  ["tasks/tasks/12", "task-generator"],
  ["cart/build-A/2", "builder"],
  ["cart/build-A1-b/2", "builder"],
  ["cart/design/B1/rulebase", "inspector-rulebase"],
  ["cart/design/B12/rulebase@2", "inspector-rulebase"],
  ["wave-2/impl/B3/impl-rulebase", "inspector-impl-rulebase"],
  ["all/dead-code/B1/dead-tests", "inspector-dead-tests"],
  ["cart/design/B1/auditor", "auditor-design"],
  ["wave-2/impl/B3/auditor", "auditor-impl"],
  ["wave-2/dead-code/B4/auditor", "auditor-dead-code"],
  ["cart/gate/1", "lead"],
  ["wave-1/commit", "lead"],
  ["cart/escalation/1", "lead"],
  ["cart/steering/B1-1", "lead"],
  ["cart/review-passed/B1", "lead"],
  ["cart/steering/B1/auditor", "lead"],
  ["cart/architect", "lead"],
  ["", "lead"],
])("%j is work of %s", (id, role) => {
  expect(getActionRole(id)).toBe(role);
});
