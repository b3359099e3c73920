import { expect, test } from "vitest";
import { findAgentSign, readAncestorCommands } from "./agent-signs.ts";

const person = {
  isTerminal: true,
  environment: { TERM: "xterm" },
  ancestors: [["-bash"], ["/usr/bin/gnome-terminal"]],
};

test("finds no sign of an agent for a person at a terminal", () => {
  expect(findAgentSign(person)).toBeUndefined();
});

test.each([
  ["a pipe", { isTerminal: false }, "standard input or output is not a terminal"],
  ["Claude Code", { environment: { CLAUDECODE: "1" } }, "an agent set CLAUDECODE in this terminal"],
  ["Codex", { environment: { CODEX_SANDBOX: "seatbelt" } }, "an agent set CODEX_SANDBOX in this terminal"],
  ["Gemini CLI", { environment: { GEMINI_CLI: "1" } }, "an agent set GEMINI_CLI in this terminal"],
  ["Cursor", { environment: { CURSOR_AGENT: "1" } }, "an agent set CURSOR_AGENT in this terminal"],
  ["OpenCode", { environment: { OPENCODE: "1" } }, "an agent set OPENCODE in this terminal"],
  ["an ancestor", { ancestors: [["bash"], ["/opt/bin/claude", "-p", "x"]] }, "claude started this terminal"],
  [
    "a script of an ancestor",
    { ancestors: [["node", "--no-warnings", "/lib/node_modules/@openai/codex/bin/run.js"]] },
    "codex started this terminal",
  ],
  ["an interpreter's script", { ancestors: [["/usr/bin/python3", "/usr/bin/aider"]] }, "aider started this terminal"],
])("recognizes %s", (_, signs, why) => {
  expect(findAgentSign({ ...person, ...signs })).toBe(why);
});

test.each([
  ["settings of an agent", { environment: { CODEX_HOME: "/home/ann/.codex", CLAUDE_CODE_USE_BEDROCK: "1" } }],
  ["a variable that is empty", { environment: { CLAUDECODE: "" } }],
  ["the terminal of an editor", { ancestors: [["bash"], ["/usr/share/cursor/cursor", "--type=zygote"]] }],
  [
    "an argument that names an agent",
    {
      ancestors: [
        ["vim", "claude"],
        ["node", "server.js", "claude"],
      ],
    },
  ],
])("takes a user with %s for a person", (_, signs) => {
  expect(findAgentSign({ ...person, ...signs })).toBeUndefined();
});

test("reads the command lines of the processes that started this one", () => {
  const own = readAncestorCommands(process.pid);
  expect(process.platform === "linux" ? own[0]?.[0] : undefined).toBe(
    process.platform === "linux" ? process.argv0 : undefined,
  );
});
