import { expect, test } from "vitest";
import { MCP_TOOLS, selectTools } from "#doors/mcp/tool-table.ts";
import { connect } from "../kit/client.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { listReplaceableCommands } from "../kit/transcript-answers.ts";

const KNOWN_TOOLS = new Set(MCP_TOOLS.map(({ name }) => name));
const SESSION = "pages";

/** Prompts that name tools which are not offered now, with the words that give the condition. */
const LATER_TOOLSETS: Readonly<Record<string, readonly [toolset: string, condition: string]>> = {
  "sdd-start": ["adopt", "If this folder holds code but no specs"],
  "sdd-stage-guide": ["project", "are offered once sdd_init_project has started the project"],
  "sdd-change-guide": ["change", "are offered once there is a change"],
};

/** Tools that the client does not have, and commands for which it has a tool. A line that names a toolset may. */
function listForeignNames(text: string, offered: ReadonlySet<string>): string[] {
  const own = text
    .split("\n")
    .filter((line) => !line.includes("--toolsets"))
    .join("\n");
  const named = own.match(/(?<![/.\w-])(?:sdd|mem)_[a-z]+(?:_[a-z]+)*/g) ?? [];
  const hidden = named.filter((tool) => KNOWN_TOOLS.has(tool) && !offered.has(tool));
  return [...hidden, ...listReplaceableCommands(own, (tool) => offered.has(tool))];
}

/** The context that the hooks of a client add, in the order of a session. */
function listHookTexts(cwd: string, home: string): string[] {
  const call = (event: string, more: object): string =>
    tenon(["hook", event], {
      cwd,
      env: { TENON_HOME: home },
      input: JSON.stringify({ cwd, session_id: SESSION, ...more }),
    }).out;
  return [
    call("session-start", { source: "startup" }),
    call("session-start", { source: "compact" }),
    call("user-prompt-submit", { prompt: "Go on." }),
    call("pre-tool-use", { tool_name: "Write", tool_input: { file_path: `${cwd}/sdd/sdd.json` } }),
    call("stop", { last_assistant_message: "All tests pass." }),
  ];
}

test.each([
  ["nothing in progress", []],
  ["a change", [["sdd_change", { type: "fix", size: "small", description: "Fix login" }]]],
  ["a bugfix", [["sdd_bugfix", { description: "Login fails", id: "BUG-001" }]]],
  [
    "an abandoned bugfix",
    [
      ["sdd_bugfix", { description: "Login fails", id: "BUG-001" }],
      ["sdd_workflow_abandon", { id: "BUG-001", reason: "Solved upstream" }],
    ],
  ],
  ["a project", [["sdd_init_project", { name: "Tides", description: "Skippers see the tides" }]]],
] as [string, [string, Record<string, unknown>][]][])(
  "with %s, every resource, prompt and hook names only tools that the client has",
  async (_, calls) => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    await using connection = await connect("2025-11-25", { cwd: repository.path, env: { TENON_HOME: home.path } });
    const { client } = connection;
    for (const [tool, input] of calls) await connection.call(tool, input);
    const { tools } = await client.request({ method: "tools/list" });
    const offered = new Set(tools.map(({ name }) => name));
    const texts: (readonly [string, string])[] = [];
    for (const { uri } of (await client.request({ method: "resources/list" })).resources)
      for (const content of (await client.readResource({ uri })).contents)
        texts.push([uri, "text" in content ? content.text : ""]);
    for (const { name } of (await client.listPrompts()).prompts)
      for (const { content } of (await client.getPrompt({ name })).messages)
        texts.push([name, content.type === "text" ? content.text : ""]);
    for (const text of listHookTexts(repository.path, home.path)) texts.push(["hook", text]);
    const wrong = texts.flatMap(([name, text]) => {
      const [toolset, condition = ""] = LATER_TOOLSETS[name] ?? [];
      expect(text).toContain(condition);
      const later = toolset === undefined ? [] : selectTools([toolset]);
      const known = new Set([...offered, ...later.map((tool) => tool.name)]);
      return listForeignNames(text, known).map((each) => `${name}: ${each}`);
    });
    expect(wrong).toEqual([]);
    expect(texts.length).toBeGreaterThan(20);
  },
);
