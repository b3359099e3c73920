import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { put } from "../kit/repository.ts";
import { workflow } from "../kit/at-work.ts";
import { loadRecordedPayload, SESSION, stageWorkspace } from "../hook/hook-calls.ts";
import { type Machine, machine } from "./client.ts";

interface Hook {
  readonly type: string;
  readonly command: string;
  readonly args: readonly string[];
}
interface Matched {
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
}

const { hooks } = JSON.parse(fs.readFileSync("plugin/hooks/hooks.json", "utf8")) as {
  hooks: Record<string, readonly Matched[]>;
};

/** What a client does at an event: each hook whose matcher fits, with the payload on its standard input. */
function happen(own: Machine, payload: Readonly<Record<string, unknown>>): unknown[] {
  const fitting = (hooks[String(payload["hook_event_name"])] ?? []).filter(
    ({ matcher }) => matcher === undefined || new RegExp(`^(?:${matcher})$`).test(String(payload["tool_name"])),
  );
  return fitting
    .flatMap((each) => each.hooks)
    .map(({ command, args }) => {
      const { code, out, err } = own.run(command, args, { input: JSON.stringify(payload) });
      expect([code, err]).toEqual([0, ""]);
      return out === "" ? undefined : (JSON.parse(out) as unknown);
    });
}

/** In the order of a session. */
const EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStop", "Stop", "SessionEnd"];

test("the plugin hooks into every event that Tenon answers, without a shell", () => {
  expect(Object.keys(hooks).toSorted()).toEqual(EVENTS.toSorted());
  const all = Object.values(hooks).flatMap((matched) => matched.flatMap((each) => each.hooks));
  expect(
    all.filter(({ type, command, args }) => type !== "command" || command !== "tenon" || args.length !== 2),
  ).toEqual([]);
});

test("the installed hooks see a session", async () => {
  using own = machine();
  const root = own.repository;
  await stageWorkspace(root, { workflows: [workflow("AUTH-001", "feature", { current_stage: "implement" })] });
  const at = (name: string, changes = {}): unknown[] =>
    happen(own, loadRecordedPayload(name, root, { cwd: root, ...changes }));
  const [greeting] = at("session-start");
  expect(JSON.stringify(greeting)).toContain("AUTH-001");
  expect(at("user-prompt-submit")).toEqual([undefined]);
  expect(at("pre-tool-use-edit", { tool_input: { file_path: join(root, "src/a.ts") } })).toEqual([undefined]);
  const [denied] = at("pre-tool-use-edit", { tool_input: { file_path: join(root, "sdd/sdd.json") } });
  expect(denied).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  expect(at("post-tool-use-edit", { tool_input: { file_path: join(root, "src/a.ts") } })).toEqual([undefined]);
  expect(at("subagent-stop", { last_assistant_message: "I looked." })).toEqual([undefined]);
  expect(at("stop", { last_assistant_message: "I am not done yet." })).toEqual([undefined]);
  expect(at("session-end")).toEqual([undefined]);
  const journal = fs.readdirSync(join(root, ".sdd/journal")).map((name) => join(root, ".sdd/journal", name));
  const noted = journal.flatMap((file) => fs.readFileSync(file, "utf8").trim().split("\n"));
  expect(noted.map((line) => (JSON.parse(line) as { event: string; session: string }).event)).toEqual(EVENTS);
  expect(noted.every((line) => line.includes(SESSION))).toBe(true);
});

const BRIEF_TOOL = "mcp__plugin_sdd_tenon__sdd_brief";
const REPORT_TOOL = "mcp__plugin_sdd_tenon__sdd_report";
const LET = /^let$/;
const REFUSED: readonly (readonly [agent: string, tool: string, input: Record<string, string>, said: RegExp])[] = [
  [
    "sdd:inspector-quality",
    "Write",
    { file_path: "src/a.ts" },
    /^Edit of src\/a\.ts blocked: the inspector-quality only reads\./,
  ],
  ["sdd:auditor-impl", "Edit", { file_path: "sdd/features/login/design.md" }, /the auditor-impl only reads/],
  [
    "sdd:inspector-test",
    "Bash",
    { command: "sed -i s/a/b/ src/a.ts" },
    /^Command blocked: the inspector-test only reads/,
  ],
  ["sdd:inspector-test", "Bash", { command: "npm test" }, LET],
  ["sdd:impl-agent", "Write", { file_path: "test/login.test.ts" }, /the impl-agent writes code only: no tests/],
  ["sdd:impl-agent", "Edit", { file_path: "src/login.ts" }, LET],
  ["sdd:test-agent", "Write", { file_path: "test/login.test.ts" }, LET],
  ["sdd:test-agent", "Edit", { file_path: "sdd/specs/AUTH-001.yaml" }, /nothing under sdd/],
  ["sdd:task-generator", "Write", { file_path: "sdd/features/login/tasks.yaml" }, LET],
  ["sdd:task-generator", "Write", { file_path: "sdd/features/login/design.md" }, /writes tasks\.yaml of features/],
  ["sdd:architect", "Write", { file_path: "sdd/features/login/research.md" }, LET],
  ["sdd:architect", "Write", { file_path: "src/login.ts" }, /writes design\.md and research\.md of features/],
  ["sdd:builder", "Write", { file_path: "src/login.test.ts" }, LET],
  ["sdd:builder", "Write", { file_path: "sdd/features/login/spec.yaml" }, /must not be edited by hand/],
  ["sdd:spec-agent", "Write", { file_path: "sdd/specs/AUTH-001.yaml" }, LET],
  ["sdd:lead", "Edit", { file_path: "src/login.ts" }, /the lead assigns work/],
  ["builder", "Write", { file_path: "sdd/steering/tech.md" }, LET],
  ["sdd:builder", REPORT_TOOL, { action: "login/build-A/1" }, LET],
  [
    "sdd:builder",
    REPORT_TOOL,
    { action: "login/tasks/1" },
    /^Call blocked: the builder .* "login\/tasks\/1" is not one\./,
  ],
  ["sdd:inspector-test", BRIEF_TOOL, { action: "login/impl/B1/auditor" }, /the inspector-test gets and reports/],
  ["sdd:lead", REPORT_TOOL, { action: "login/tasks/1" }, LET],
  ["general-purpose", REPORT_TOOL, { action: "login/tasks/1" }, LET],
];

test("the hooks block each role's writes outside its scope and reports of other roles", () => {
  using own = machine();
  const root = own.repository;
  fs.mkdirSync(join(root, "sdd"));
  const said = REFUSED.map(([agent_type, tool_name, input]) => {
    const tool_input = "file_path" in input ? { file_path: join(root, input["file_path"] ?? "") } : input;
    const payload = loadRecordedPayload("pre-tool-use-edit", root, {
      cwd: root,
      agent_type,
      agent_id: "a1",
      tool_name,
      tool_input,
    });
    const answers = happen(own, payload);
    // A tool that no matcher covers reaches no hook, and would pass whatever the hook says.
    expect([tool_name, answers.length]).toEqual([tool_name, 1]);
    const [answer] = answers as { hookSpecificOutput: Record<string, string> }[];
    return answer?.hookSpecificOutput["permissionDecisionReason"] ?? "let";
  });
  expect(said.filter((text, i) => !REFUSED[i]?.[3].test(text))).toEqual([]);
});

test("an agent reports the action whose brief it fetched first, and no other of its role", () => {
  using own = machine();
  const root = own.repository;
  for (const action of ["login/build-A/1", "login/build-A/2", "login/build-B/1"])
    put(root, `.sdd/briefs/${action}.md`, "The brief.\n");
  fs.mkdirSync(join(root, "sdd"));
  const call = (agent_id: string, tool_name: string, action: string, agent_type = "sdd:builder"): string => {
    const payload = loadRecordedPayload("pre-tool-use-edit", root, {
      cwd: root,
      agent_type,
      agent_id,
      tool_name,
      tool_input: { action },
    });
    const [answer] = happen(own, payload) as { hookSpecificOutput: Record<string, string> }[];
    return answer?.hookSpecificOutput["permissionDecisionReason"] ?? "let";
  };
  // A mistyped id is no action of anybody.
  expect(call("a1", BRIEF_TOOL, "login/build-X/1")).toBe("let");
  expect(call("a1", BRIEF_TOOL, "login/build-A/1")).toBe("let");
  expect(call("a2", REPORT_TOOL, "login/build-B/1")).toBe("let");
  const problem = 'Call blocked: this agent has the action "login/build-A/1", and not "login/build-B/1".';
  for (const tool of [REPORT_TOOL, BRIEF_TOOL]) expect(call("a1", tool, "login/build-B/1")).toContain(problem);
  expect(call("a1", REPORT_TOOL, "login/build-A/1")).toBe("let");
  // The same work, offered again.
  expect(call("a1", REPORT_TOOL, "login/build-A/2")).toBe("let");
  // A review names the agent that took each of its actions.
  const taken = (action: string) => fs.readFileSync(join(root, `.sdd/briefs/${action}.agent`), "utf8");
  expect(["A/1", "A/2", "B/1"].map((id) => taken(`login/build-${id}`))).toEqual(["a1", "a1", "a2"]);
  // The Lead, and agents that are not Tenon's, report for many.
  for (const type of ["sdd:lead", "general-purpose"])
    for (const action of ["login/build-A/1", "login/build-B/1"])
      expect(call("a3", REPORT_TOOL, action, type)).toBe("let");
});
