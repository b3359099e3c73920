import { expect, test } from "vitest";
import { buildAgentCommand, createAcpOptions, findAgentProgram, KNOWN_AGENTS } from "./agent-catalog.ts";
import { parseAgentLimits, pickFreeAgent } from "./agent-slots.ts";

const OWN = { mine: ["my-agent", "--headless"], other: ["other-agent", "-m", "{model}", "--keep={x}", "-"] };
const NONE = { agents: {}, commands: {} };
const build = (name: string, role: "builder" | "inspector-quality", isResumed = false) => {
  const program = findAgentProgram(name, { agents: {}, commands: OWN });
  if (!program) throw new Error(name);
  return buildAgentCommand({ program, role, session: "s1", isResumed, model: "m1", usd: 2 }).join(" ");
};

test("leaves out a flag whose value is not known", () => {
  const program = findAgentProgram("other", { agents: {}, commands: OWN });
  if (!program) throw new Error("other");
  const line = (model?: string) => buildAgentCommand({ program, role: "builder", isResumed: false, model }).join(" ");
  expect(line("large")).toBe("other-agent -m large --keep={x} -");
  expect(line()).toBe("other-agent --keep={x} -");
});

test.each([
  [
    "claude",
    "claude -p --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools Read,Grep,Glob,Write,Edit,Bash --model m1 --max-budget-usd 2.00 --session-id s1",
  ],
  ["codex", "codex exec --json -s workspace-write -m m1 -"],
  ["gemini", "gemini -o stream-json --approval-mode yolo --skip-trust -p Do the task above. -m m1 --session-id s1"],
  ["opencode", "opencode run --format json --auto -m m1"],
  ["copilot", "copilot --output-format json --allow-all-tools --model m1 --session-id s1"],
  ["mine", "my-agent --headless"],
])("starts %s without a terminal", (name, line) => {
  expect(build(name, "builder")).toBe(line);
});

test.each([
  ["claude", "--resume s1"],
  ["codex", "resume s1 -"],
  ["gemini", "--resume s1"],
  ["opencode", "-s s1"],
  ["copilot", "--session-id s1"],
])("continues a session of %s", (name, words) => {
  expect(build(name, "builder", true)).toMatch(new RegExp(`${words}$`));
});

test.each([
  ["speaker", { acp: {} }, { acp: { session: "s1", model: "m1" } }],
  ["chooser", { acp: {} }, { acp: { session: "s1" } }],
  ["mine", {}, {}],
])("passes the session and the model of %s by the protocol", (name, fresh, resumed) => {
  const commands = {
    mine: ["my-agent"],
    speaker: { command: ["agent", "acp"], protocol: "acp" as const },
    chooser: { command: ["agent", "-m", "{model}"], protocol: "acp" as const },
  };
  const program = findAgentProgram(name, { agents: {}, commands });
  if (!program) throw new Error(name);
  expect(createAcpOptions({ program, role: "builder", session: undefined, isResumed: false })).toEqual(fresh);
  const again = { program, role: "builder", session: "s1", isResumed: true, model: "m1" } as const;
  expect(createAcpOptions(again)).toEqual(resumed);
});

test("a known client behind a command of the settings keeps its sign-in and the files that it completes", () => {
  const commands = { mine: ["my-agent"], acp: { command: ["/opt/bin/opencode", "acp"], protocol: "acp" as const } };
  const find = (name: string) => findAgentProgram(name, { agents: {}, commands });
  expect(find("mine")).toMatchObject({ login: "my-agent --help", rewrites: [] });
  expect(find("acp")).toMatchObject({ login: "opencode auth login", rewrites: ["opencode.json"] });
});

test("gives a role without files to write no tool that writes", () => {
  expect(build("claude", "inspector-quality")).not.toMatch(/,(?:Write|Edit)\b/);
  expect(build("codex", "inspector-quality")).toContain("-s read-only");
});

test.each([
  ["claude=2,codex=1", { claude: 2, codex: 1 }],
  ["claude", { claude: 1 }],
  [" gemini = 3 ", { gemini: 3 }],
  ["claude=0", undefined],
  ["claude=2,", undefined],
  ["claude=x", undefined],
])("%s limits the agents to %o", (text, limits) => {
  expect(parseAgentLimits(text)).toEqual(limits);
});

test.each<[string, Record<string, string>, Record<string, number>, Record<string, number>, unknown]>([
  ["the kind with the most free places", {}, { claude: 2, codex: 1 }, {}, { name: "claude" }],
  ["another kind while one is busy", {}, { claude: 1, codex: 1 }, { claude: 1 }, { name: "codex" }],
  ["no agent while all are busy", {}, { claude: 1 }, { claude: 1 }, undefined],
  [
    "the agent that the settings name for the role",
    { builder: "codex:gpt-5.5" },
    { claude: 2, codex: 1 },
    {},
    { name: "codex", model: "gpt-5.5" },
  ],
  [
    "no agent while the agent of the settings is busy",
    { builder: "codex" },
    { claude: 2, codex: 1 },
    { codex: 1 },
    undefined,
  ],
  ["an agent of --agent if the settings name another", { builder: "gemini" }, { claude: 2 }, {}, { name: "claude" }],
])("picks %s", (_, agents, limits, busy, expected) => {
  expect(pickFreeAgent("builder", { ...NONE, agents }, limits, new Map(Object.entries(busy)))).toEqual(expected);
});

test("knows a stream, a sign-in and a program for every agent", () => {
  for (const [name, { program, stream, login }] of Object.entries(KNOWN_AGENTS))
    expect([name, program, stream, login.length > 0]).toEqual([name, name, name, true]);
});
