import fs from "node:fs";
import { expect, test } from "vitest";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { listReplaceableCommands, listTranscriptAnswers } from "../kit/transcript-answers.ts";

const TRANSCRIPTS = fs.readdirSync("test/transcripts").filter((name) => name.endsWith(".txt"));
const TOOL_NAMES = new Set(MCP_TOOLS.map(({ name }) => name));

test.each(TRANSCRIPTS)("%s: shows tools to an agent, and commands to a person", (name) => {
  const wrong: string[] = [];
  for (const { call, isTool, line } of listTranscriptAnswers(fs.readFileSync(`test/transcripts/${name}`, "utf8"))) {
    const named = isTool
      ? listReplaceableCommands(line)
      : Array.from(line.matchAll(/(?<![/.\w-])(?:sdd|mem)_[a-z]+(?:_[a-z]+)*/g), ([tool]) => tool).filter((tool) =>
          TOOL_NAMES.has(tool),
        );
    if (named.length > 0) wrong.push(`${call}: ${line}`);
  }
  expect(wrong).toEqual([]);
});
