import fc from "fast-check";
import { expect, test } from "vitest";
import { CHANGE_STAGES } from "./stages/change-stages.ts";
import { Fault } from "./fault.ts";
import { COMMAND_CHECKS, DEFAULT_CONFIG, parseWorkspaceConfig } from "./workspace-config.ts";

const HEADINGS_KEYS = CHANGE_STAGES.join(", ");

test.each([
  ["nothing", undefined],
  ["an empty file", null],
  ["an empty mapping", {}],
  ["empty sections", { version: 1, changes: null, mcp: {} }],
  ["empty headings", { changes: { headings: null } }],
])("uses the defaults for %s", (_, value) => {
  expect(parseWorkspaceConfig(value)).toEqual({
    changes: { headings: {} },
    memory: { enabled: true, project: "" },
    gates: { waived: {}, coverage: 90, retry_all: false, mutation_check: false },
    stack: { directories: {}, primary: "" },
    approvals: "auto",
    mcp: { toolsets: ["default"] },
    sessions: { after_compact: "wait" },
    run: { agents: {}, commands: {}, minutes: 60, silence_minutes: 15 },
    worktree: { setup: [] },
    roadmap: { lost_after_minutes: 120, branch: "current", consensus: 1, language: "en" },
  });
});

test("accepts a value for every key", () => {
  const headings = Object.fromEntries(CHANGE_STAGES.map((stage) => [stage, [`Of ${stage}`]]));
  const settings = {
    changes: { headings },
    memory: { enabled: false, project: "Shop" },
    gates: { waived: { tests: "There is no test command yet" }, coverage: 75, retry_all: true, mutation_check: true },
    stack: { directories: { ".": "go", "web/app": "typescript-react" }, primary: "go" },
    approvals: "proven",
    mcp: { toolsets: ["change", "adr"] },
    sessions: { after_compact: "continue" },
    run: {
      agents: { builder: "mine" },
      commands: { mine: ["my-agent", "-q"], other: { command: ["other", "acp"], protocol: "acp" } },
      minutes: 90,
      silence_minutes: 5,
    },
    worktree: { setup: ["npm", "ci"] },
    roadmap: { lost_after_minutes: 1_440, branch: "team/{wave}", consensus: 3, language: "pt-BR" },
  };
  expect(parseWorkspaceConfig({ version: 1, ...settings })).toEqual(settings);
});

test("accepts an empty list of headings", () => {
  expect(parseWorkspaceConfig({ changes: { headings: { spec: [] } } })).toEqual({
    ...DEFAULT_CONFIG,
    changes: { headings: { spec: [] } },
  });
});

test.each([
  ["a text", "the file must be a mapping"],
  [["a"], "the file must be a mapping"],
  [5, "the file must be a mapping"],
  [{ version: 2 }, "version must be 1"],
  [{ version: "1" }, "version must be 1"],
  [{ version: null }, "version must be 1"],
  [{ verison: 1 }, '"verison" is not a key of the file (did you mean "version"?)'],
  [
    { "a\u0007": 1 },
    '"a\\u0007" is not a key of the file, which has version, changes, memory, gates, stack, approvals, mcp, sessions, run, worktree, roadmap',
  ],
  [
    JSON.parse('{"__proto__": {"mcp": 1}}'),
    '"__proto__" is not a key of the file, which has version, changes, memory, gates, stack, approvals, mcp, sessions, run, worktree, roadmap',
  ],
  [
    { constructor: {} },
    '"constructor" is not a key of the file, which has version, changes, memory, gates, stack, approvals, mcp, sessions, run, worktree, roadmap',
  ],
  [{ changes: [] }, "changes must be a mapping"],
  [{ changes: "x" }, "changes must be a mapping"],
  ...["yes", "", null, true].map((approvals): [unknown, string] => [
    { approvals },
    "approvals must be auto, relayed or proven",
  ]),
  [{ changes: { heading: {} } }, '"heading" is not a key of changes (did you mean "headings"?)'],
  [{ changes: { headings: [] } }, "changes.headings must be a mapping"],
  [
    { changes: { headings: { deploy: ["A"] } } },
    `"deploy" is not a key of changes.headings, which has ${HEADINGS_KEYS}`,
  ],
  [{ changes: { headings: { spec: "A" } } }, "changes.headings.spec must be a list of words"],
  [{ changes: { headings: { spec: null } } }, "changes.headings.spec must be a list of words"],
  [{ changes: { headings: { spec: ["A", 1] } } }, "changes.headings.spec must be a list of words"],
  [{ changes: { headings: { spec: ["A", " "] } } }, "changes.headings.spec must be a list of words"],
  [{ memory: false }, "memory must be a mapping"],
  [{ memory: { on: true } }, '"on" is not a key of memory, which has enabled, project'],
  [{ memory: { enabled: "no" } }, "memory.enabled must be true or false"],
  [{ memory: { enabled: null } }, "memory.enabled must be true or false"],
  [{ memory: { project: 1 } }, "memory.project must be a name"],
  [{ memory: { project: "x".repeat(101) } }, "memory.project must be a name"],
  [{ gates: { waived: { test: "No" } } }, '"test" is not a key of gates.waived (did you mean "tests"?)'],
  [
    { gates: { waived: { jshint: "No" } } },
    `"jshint" is not a key of gates.waived, which has ${COMMAND_CHECKS.join(", ")}`,
  ],
  [{ gates: { waived: { tests: "" } } }, "gates.waived.tests must be a reason"],
  [{ gates: { waived: { tests: "<reason>" } } }, "gates.waived.tests must be a reason"],
  [{ gates: { waived: { tests: "…" } } }, "gates.waived.tests must be a reason"],
  [{ gates: { waived: { tests: true } } }, "gates.waived.tests must be a reason"],
  [{ gates: { waived: ["tests"] } }, "gates.waived must be a mapping"],
  [{ gates: { coverage: 101 } }, "gates.coverage must be a number from 0 to 100"],
  [{ gates: { coverage: "90" } }, "gates.coverage must be a number from 0 to 100"],
  [{ gates: { coverage: Number.NaN } }, "gates.coverage must be a number from 0 to 100"],
  [{ gates: { retry_all: 1 } }, "gates.retry_all must be true or false"],
  [{ gates: { mutation_check: "no" } }, "gates.mutation_check must be true or false"],
  ...["../web", "/web", "web//app", "a\\b", ""].map((folder): [unknown, string] => [
    { stack: { directories: { [folder]: "go" } } },
    "stack.directories must name a profile for each folder, such as { web: typescript-react }",
  ]),
  [
    { stack: { directories: ["go"] } },
    "stack.directories must name a profile for each folder, such as { web: typescript-react }",
  ],
  [{ stack: { primary: 1 } }, "stack.primary must be the id of a profile"],
  [{ mcp: true }, "mcp must be a mapping"],
  [{ mcp: { toolset: [] } }, '"toolset" is not a key of mcp (did you mean "toolsets"?)'],
  [{ mcp: { toolsets: null } }, "mcp.toolsets must be a list of words"],
  [{ mcp: { toolsets: "all" } }, "mcp.toolsets must be a list of words"],
  [{ mcp: { toolsets: { all: true } } }, "mcp.toolsets must be a list of words"],
  [{ sessions: "wait" }, "sessions must be a mapping"],
  [{ sessions: { after: "wait" } }, '"after" is not a key of sessions (did you mean "after_compact"?)'],
  [{ sessions: { after_compact: "go" } }, "sessions.after_compact must be wait or continue"],
  [{ sessions: { after_compact: null } }, "sessions.after_compact must be wait or continue"],
  [
    { run: { commands: { mine: "my-agent -q" } } },
    "run.commands must name a command as a list of words for each agent, such as { mine: [my-agent, --headless] }, or { mine: { command: [my-agent, acp], protocol: acp } }",
  ],
  [
    { run: { commands: { mine: { command: ["x"], protocol: "http" } } } },
    "run.commands must name a command as a list of words for each agent, such as { mine: [my-agent, --headless] }, or { mine: { command: [my-agent, acp], protocol: acp } }",
  ],
  [
    { run: { commands: { "my agent": ["x"] } } },
    "run.commands must name a command as a list of words for each agent, such as { mine: [my-agent, --headless] }, or { mine: { command: [my-agent, acp], protocol: acp } }",
  ],
  [{ worktree: { setup: "npm ci" } }, "worktree.setup must be a command as a list of words, such as [npm, ci]"],
  [{ roadmap: [] }, "roadmap must be a mapping"],
  [{ roadmap: { lost_after: 3 } }, '"lost_after" is not a key of roadmap (did you mean "lost_after_minutes"?)'],
  [{ roadmap: { consensus: 6 } }, "roadmap.consensus must be a whole number from 1 to 5"],
  ...["", "a b", "-a", "a..b", "/a", "a/", "a.lock", "{wav}", "HEAD", 7].map((branch): [unknown, string] => [
    { roadmap: { branch } },
    "roadmap.branch must be current or the name of a branch, such as roadmap/{wave} or feature/{feature}",
  ]),
  ...["", "e", "in English, please", 7, null].map((language): [unknown, string] => [
    { roadmap: { language } },
    "roadmap.language must be a language tag, such as en or pt-BR",
  ]),
  ...[0, 1.5, 1_441, "120", null].map((minutes): [unknown, string] => [
    { roadmap: { lost_after_minutes: minutes } },
    "roadmap.lost_after_minutes must be a whole number from 1 to 1440",
  ]),
])("rejects %j", (value, why) => {
  expect(() => parseWorkspaceConfig(value)).toThrow(
    expect.objectContaining({ code: "config.invalid", what: "sdd/config.yaml cannot be used.", why: `${why}.` }),
  );
});

test("reports every problem at once", () => {
  const value = { version: 3, x: 1, changes: { headings: { spec: 1 }, y: 2 }, mcp: { toolsets: 4 } };
  expect(() => parseWorkspaceConfig(value)).toThrow(
    expect.objectContaining({
      why: [
        '"x" is not a key of the file, which has version, changes, memory, gates, stack, approvals, mcp, sessions, run, worktree, roadmap',
        "version must be 1",
        '"y" is not a key of changes, which has headings',
        "changes.headings.spec must be a list of words",
        "mcp.toolsets must be a list of words.",
      ].join("; "),
    }),
  );
});

test("reads settings or reports a fault, for any file", () => {
  const anything = fc.jsonValue();
  const near = fc.record(
    {
      version: fc.oneof(fc.constant(1), anything),
      changes: fc.record({ headings: fc.record({ spec: anything, tasks: fc.array(fc.string()) }) }),
      memory: fc.oneof(anything, fc.record({ enabled: anything, project: anything })),
      mcp: fc.oneof(anything, fc.record({ toolsets: anything })),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(anything, near), (value) => {
      expect(outcome(value)).toMatch(/^(?:settings|config\.invalid)$/);
    }),
  );
});

function outcome(value: unknown): string {
  try {
    const { changes, mcp } = parseWorkspaceConfig(value);
    const lists = [...Object.values(changes.headings), mcp.toolsets];
    return lists.flat().every((word) => typeof word === "string") ? "settings" : "not words";
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

test("accepts the former name of the mutation check", () => {
  const { gates } = parseWorkspaceConfig({ gates: { bite: true, waived: { bite: "No tests yet" } } });
  expect(gates).toMatchObject({ mutation_check: true, waived: { "mutation-check": "No tests yet" } });
});
