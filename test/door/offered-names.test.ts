import { expect, test } from "vitest";
import { renderMcpFault, renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { type McpTool, MCP_TOOLS, selectTools } from "#doors/mcp/tool-table.ts";
import { Fault } from "#kernel/model/fault.ts";
import { createSampleCall, SOURCE_TEXTS, SUGGESTED_CALLS } from "../kit/suggested-calls.ts";
import { listReplaceableCommands } from "../kit/transcript-answers.ts";
import { replayWithDefaultTools } from "../kit/transcript.ts";

const KNOWN_TOOLS = new Set(MCP_TOOLS.map(({ name }) => name));

/** Tools in an answer that the client does not have, and commands for which it has a tool. */
function listForeignNames(answer: string, offered: readonly McpTool[]): string[] {
  const isOffered = (tool: string): boolean => offered.some(({ name }) => name === tool);
  const named = answer.match(/(?<![/.\w-])(?:sdd|mem)_[a-z]+(?:_[a-z]+)*/g) ?? [];
  const hidden = named.filter((tool) => KNOWN_TOOLS.has(tool) && !isOffered(tool));
  return [...hidden, ...listReplaceableCommands(answer, isOffered)];
}

const TOOLSETS = [...new Set(MCP_TOOLS.map(({ toolset }) => toolset))];

test.each(["default", "all", ...TOOLSETS, ...TOOLSETS.map((toolset) => `default,${toolset}`)])(
  "every call and text that an answer may contain fits a client with the toolsets %s",
  (toolsets) => {
    const offered = selectTools(toolsets.split(","));
    const texts = SOURCE_TEXTS.map(({ text }) => text);
    const calls = SUGGESTED_CALLS.map(createSampleCall);
    const wrong = new Set<string>();
    const check = (answer: string) => {
      for (const each of listForeignNames(answer, offered)) wrong.add(`${each} in ${answer}`);
    };
    for (const call of [...calls, ...texts]) {
      check(renderMcpPage({ title: "Done.", next: [call] }, offered));
      check(renderMcpFault(new Fault("files.unwritable", { what: "It failed.", why: "", fix: call }), offered));
    }
    for (const text of texts) {
      check(renderMcpPage({ title: text, facts: [["fact", text]], points: [text] }, offered));
      check(renderMcpFault(new Fault("files.unwritable", { what: text, why: "It failed.", fix: [] }), offered));
    }
    expect([...wrong]).toEqual([]);
    expect(calls.length + texts.length).toBeGreaterThan(300);
  },
);

const SESSIONS = [
  "context-check",
  "decisions",
  "explore",
  "faults",
  "handover",
  "knowledge",
  "memory",
  "project-guided",
  "query",
  "roadmap",
  "several-changes",
  "small-fix",
  "specs",
  "steering",
  "trace",
  "workflows",
];

test.each(SESSIONS)(
  "%s names only default tools to a client with the default tools",
  { timeout: 120_000 },
  async (name) => {
    const answers = await replayWithDefaultTools(`${name}.txt`);
    const wrong = answers.flatMap(({ call, text, tools }) => {
      // A call of a tool that is not offered now is an error that names it and all others.
      if (/The tool \w+ is not offered now/.test(text)) return [];
      const own = text.split("\n").filter((line) => !line.startsWith("> "));
      const named = own.flatMap((line) => line.match(/(?<![/.\w-])(?:sdd|mem)_[a-z]+(?:_[a-z]+)*/g) ?? []);
      const hidden = named.filter((tool) => KNOWN_TOOLS.has(tool) && !tools.includes(tool));
      const commands = own.flatMap((line) => listReplaceableCommands(line, (tool) => tools.includes(tool)));
      return [...hidden, ...commands].map((each) => `${call}: ${each}`);
    });
    expect(answers.length).toBeGreaterThan(0);
    expect([...new Set(wrong)]).toEqual([]);
  },
);
