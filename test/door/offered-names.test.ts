import { expect, test } from "vitest";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { listReplaceableCommands } from "../kit/transcript-answers.ts";
import { replayWithDefaultTools } from "../kit/transcript.ts";

const KNOWN_TOOLS = new Set(MCP_TOOLS.map(({ name }) => name));

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
