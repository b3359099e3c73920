import { expect, test } from "vitest";
import { AGENT_ROLES, ROLE_FACTS } from "#roadmap/model/agent/agent-roles.ts";
import { refuseRoleCommand, refuseRoleEdit, parseAgentRole } from "./edit-refusal.ts";

test.each([
  ["sdd:builder", "builder"],
  ["sdd-builder", "builder"],
  ["sdd:inspector-dead-code", "inspector-dead-code"],
  ["builder", undefined],
  ["other:builder", undefined],
  ["sdd:toString", undefined],
  ["sdd:constructor", undefined],
  ["sdd:", undefined],
  ["general-purpose", undefined],
  [undefined, undefined],
])("%s is %s", (agent, role) => {
  expect(parseAgentRole(agent)).toBe(role);
});

const PATHS = [
  "src/login.ts",
  "src/login.test.ts",
  "test/fixtures/user.json",
  "sdd/specs/AUTH-001.yaml",
  "sdd/features/login/design.md",
  "sdd/features/login/research.md",
  "sdd/features/login/tasks.yaml",
  "sdd/steering/tech.md",
  "SDD/specs/AUTH-001.yaml",
];

test.each([
  ["spec-agent", ["sdd/specs/AUTH-001.yaml"]],
  ["test-agent", ["src/login.ts", "src/login.test.ts", "test/fixtures/user.json"]],
  ["impl-agent", ["src/login.ts"]],
  ["builder", ["src/login.ts", "src/login.test.ts", "test/fixtures/user.json"]],
  ["architect", ["sdd/features/login/design.md", "sdd/features/login/research.md"]],
  ["task-generator", ["sdd/features/login/tasks.yaml"]],
] as const)("%s writes %j, and no other", (role, allowed) => {
  expect(PATHS.filter((path) => refuseRoleEdit(role, path) === undefined)).toEqual(allowed);
});

test("a role without a write scope writes no file, and every other role writes one", () => {
  const writers = AGENT_ROLES.filter((role) => PATHS.some((path) => refuseRoleEdit(role, path) === undefined));
  expect(writers).toEqual(AGENT_ROLES.filter((role) => ROLE_FACTS[role].writes !== null));
});

test("a refusal has a reason and an alternative", () => {
  expect(refuseRoleEdit("impl-agent", "src/login.test.ts")).toEqual({
    what: "Edit of src/login.test.ts blocked: the impl-agent writes code only: no tests, nothing under sdd/.",
    why: "An agent that makes tests pass must not change them or the approved documents.",
    instead: "Make the code pass. If a test is wrong, report which one and why. The test-agent fixes it.",
  });
  expect(refuseRoleEdit("lead", "src/login.ts")?.instead).toBe("Call sdd_next and start the agent that it names.");
});

test.each([
  ["inspector-test", "rm src/a.ts", "Command blocked: the inspector-test only reads, and rm src/a.ts writes."],
  ["inspector-test", "npm test", undefined],
  ["builder", "rm src/a.ts", undefined],
  ["lead", "git commit -m x", undefined],
] as const)("%s and %j: %s", (role, command, what) => {
  expect(refuseRoleCommand(role, { command })?.what).toBe(what);
});
