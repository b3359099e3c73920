import { expect, test } from "vitest";
import { AGENT_ROLES, type AgentRole, ROLE_FACTS } from "#roadmap/model/agent/agent-roles.ts";
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
  ...[
    ["git stash", "git stash"],
    ["git -C . stash push", "git stash"],
    ["git checkout .", "git checkout"],
    ["git checkout main", "git checkout"],
    ["git restore .", "git restore"],
    ["git reset --hard", "git reset"],
    ["git clean -fd", "git clean"],
    ["npm install left-pad", "npm install"],
    ["npm ci", "npm ci"],
    ["cd web && pnpm add x", "pnpm add"],
    ["pip install requests", "pip install"],
    ["python3 -m pip install x", "python3 -m pip install"],
    ["bash -c 'yarn add x'", "yarn add"],
    ["go get example.org/x", "go get"],
  ].map(
    ([command, said]) =>
      ["builder", command, `Command blocked: the builder changes only its own files: ${said}.`] as const,
  ),
  ...[
    "git stash list",
    "git checkout -- src/a.ts",
    "git checkout HEAD src/a.ts",
    "git restore src/a.ts",
    "git diff",
    "git log main",
    "npm test",
    "npm run install-fixtures",
    "cargo test",
    "go test ./...",
  ].map((command) => ["builder", command, undefined] as const),
  ["impl-agent", "git stash", "Command blocked: the impl-agent changes only its own files: git stash."],
  ["lead", "git commit -m x", undefined],
] as readonly (readonly [AgentRole, string, string | undefined])[])("%s and %j: %s", (role, command, what) => {
  expect(refuseRoleCommand(role, { command })?.what).toBe(what);
});
