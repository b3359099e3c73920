import { expect, test } from "vitest";
import type { AgentRole } from "#roadmap/model/agent/agent-roles.ts";
import { refuseRoleReport, refuseSecondAction } from "./role-report.ts";

const PLUGIN = "mcp__plugin_sdd_tenon__sdd_report";

test.each([
  ["builder", PLUGIN, { action: "cart/build-A/1" }, true],
  ["builder", PLUGIN, { action: "cart/tasks/1" }, false],
  ["builder", PLUGIN, { action: "cart/escalation/1", answer: "skip", said: "Skip it" }, false],
  ["builder", "mcp__tenon__sdd_brief", { action: "cart/architect/1" }, false],
  ["architect", PLUGIN, { action: "cart/design/B1/auditor" }, false],
  ["inspector-rulebase", PLUGIN, { action: "cart/design/B1/rulebase@2" }, true],
  ["inspector-rulebase", PLUGIN, { action: "cart/design/B1/testability" }, false],
  ["auditor-impl", PLUGIN, { action: "wave-1/impl/B2/auditor" }, true],
  ["auditor-impl", PLUGIN, { action: "wave-1/dead-code/B2/auditor" }, false],
  ["lead", PLUGIN, { action: "cart/build-A/1", report: "…" }, true],
  ["lead", PLUGIN, { action: "cart/gate/1" }, true],
  ["builder", "mcp__tenon__sdd_next", {}, true],
  ["builder", PLUGIN, {}, true],
  ["builder", "Bash", { command: "tenon report cart/build-A/1 --file out/cart/tasks/1" }, true],
  ["builder", "Bash", { command: "tenon brief cart/build-A/1" }, true],
  ["builder", "Bash", { command: "tenon report --input r.json" }, true],
  ["builder", "Bash", { command: "tenon report cart/design/B1/auditor --file a.txt" }, false],
  ["builder", "Bash", { command: "npx tenon report cart/tasks/1" }, false],
  ["builder", "Bash", { command: 'git commit -m "tenon report cart/tasks/1"' }, true],
] as readonly (readonly [AgentRole, string, Readonly<Record<string, unknown>>, boolean])[])(
  "the %s calls %s with %j: %s",
  (role, tool, input, isAllowed) => {
    expect(refuseRoleReport(role, { tool, input }) === undefined).toBe(isAllowed);
  },
);

test("a rejected report names the action and the way to hand it over", () => {
  expect(refuseRoleReport("builder", { tool: PLUGIN, input: { action: "cart/tasks/1" } })).toEqual({
    what: 'Call blocked: the builder gets and reports actions of its own role, and "cart/tasks/1" is not one.',
    why: "Each agent reports its own work. The Lead reports gates, answers and commits.",
    instead:
      "Use the action that you were started for. If it is this one, end with your report as text: the Lead passes it on.",
  });
});

test.each([
  ["cart/build-A/1", "cart/build-A/1", true],
  ["cart/build-A/1", "cart/build-A/2", true],
  ["cart/impl/B1/test", "cart/impl/B2/test", true],
  ["cart/build-A/1", "cart/build-B/1", false],
  ["cart/impl/B1/test", "wave-1/impl/B1/test", false],
  ["cart/architect/1", "order/architect/1", false],
])("an agent that began %s may report %s: %s", (own, action, isAllowed) => {
  expect(refuseSecondAction(own, action) === undefined).toBe(isAllowed);
});
