import { expect, test } from "vitest";
import { EMPTY_OUTPUT, isLoginProblem, readAgentLine, readLimitWait, type StreamForm } from "./agent-stream.ts";

const read = (form: StreamForm, ...lines: readonly unknown[]) =>
  lines.reduce<typeof EMPTY_OUTPUT>(
    (output, line) => readAgentLine(form, output, typeof line === "string" ? line : JSON.stringify(line)),
    EMPTY_OUTPUT,
  );

test.each<[StreamForm, readonly unknown[], object]>([
  [
    "claude",
    [
      { type: "system", subtype: "init", session_id: "s1" },
      {
        type: "assistant",
        session_id: "s1",
        message: {
          content: [{ type: "tool_use", name: "Write" }],
          usage: { input_tokens: 5, cache_read_input_tokens: 90 },
        },
      },
      {
        type: "assistant",
        session_id: "s1",
        message: { content: [{ type: "text", text: "DONE" }], usage: { input_tokens: 5 } },
      },
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result: "DONE",
        session_id: "s1",
        total_cost_usd: 0.5,
        usage: { input_tokens: 10, output_tokens: 7, cache_read_input_tokens: 90 },
      },
    ],
    { session: "s1", text: "DONE", tool: "Write", tools: 1, tokens: 107, usd: 0.5, isDone: true },
  ],
  [
    "codex",
    [
      { type: "thread.started", thread_id: "t1" },
      { type: "item.started", item: { type: "command_execution" } },
      { type: "item.completed", item: { type: "agent_message", text: "DONE" } },
      { type: "turn.completed", usage: { input_tokens: 10, cached_input_tokens: 5, output_tokens: 2 } },
    ],
    { session: "t1", text: "DONE", tool: "command_execution", tools: 1, tokens: 12, usd: 0, isDone: true },
  ],
  [
    "gemini",
    [
      { type: "init", session_id: "g1" },
      { type: "message", role: "user", content: "Do it" },
      { type: "message", role: "assistant", content: "I begin.", delta: true },
      { type: "tool_use", tool_name: "write_file" },
      { type: "message", role: "assistant", content: "DO", delta: true },
      { type: "message", role: "assistant", content: "NE", delta: true },
      { type: "result", status: "success", stats: { total_tokens: 4 } },
    ],
    { session: "g1", text: "DONE", tool: "write_file", tools: 1, tokens: 4, usd: 0, isDone: true },
  ],
  [
    "opencode",
    [
      { type: "step_start", sessionID: "o1", part: {} },
      { type: "tool_use", sessionID: "o1", part: { tool: "write" } },
      {
        type: "step_finish",
        sessionID: "o1",
        part: { reason: "tool-calls", cost: 0.1, tokens: { input: 3, output: 1, cache: { read: 2, write: 1 } } },
      },
      { type: "text", sessionID: "o1", part: { text: "DONE" } },
      { type: "step_finish", sessionID: "o1", part: { reason: "stop", cost: 0.1, tokens: { input: 3, output: 1 } } },
    ],
    { session: "o1", text: "DONE", tool: "write", tools: 1, tokens: 11, usd: 0.2, isDone: true },
  ],
  [
    "copilot",
    [
      { type: "tool.execution_start", data: { toolName: "create" } },
      { type: "assistant.message", data: { content: "" } },
      { type: "assistant.message", data: { content: "DONE" } },
      { type: "result", sessionId: "c1", exitCode: 0 },
    ],
    { session: "c1", text: "DONE", tool: "create", tools: 1, tokens: 0, usd: 0, isDone: true },
  ],
  [
    "acp",
    [
      { type: "session", session: "a1" },
      { type: "agent_message_chunk", content: { type: "text", text: "I begin." } },
      { type: "tool_call", title: "Write src/half.mjs", kind: "edit" },
      { type: "usage", tokens: 90, usd: 0.1 },
      { type: "agent_message_chunk", content: { type: "text", text: "DO" } },
      { type: "agent_message_chunk", content: { type: "text", text: "NE" } },
      { type: "usage", tokens: 100, usd: 0.2 },
      { type: "result", stopReason: "end_turn" },
    ],
    { session: "a1", text: "DONE", tool: "edit", tools: 1, tokens: 100, usd: 0.2, isDone: true },
  ],
  ["text", ["DONE", "Files: a"], { text: "DONE\nFiles: a", tools: 0, tokens: 0, usd: 0, isDone: false }],
])("reads the stream of %s", (form, lines, expected) => {
  expect(read(form, ...lines)).toEqual(expected);
});

test.each<[StreamForm, unknown, string]>([
  [
    "claude",
    { type: "result", is_error: true, result: "Claude AI usage limit reached|1795033388" },
    "Claude AI usage limit reached|1795033388",
  ],
  ["codex", { type: "turn.failed", error: { message: "429 Too Many Requests" } }, "429 Too Many Requests"],
  ["gemini", { type: "result", status: "error", error: { message: "quota exceeded" } }, "quota exceeded"],
  ["opencode", { type: "error", error: { name: "APIError", data: { message: "Overloaded" } } }, "Overloaded"],
  ["copilot", { type: "result", exitCode: 1 }, "exit code 1"],
  ["acp", { type: "error", message: "Internal error" }, "Internal error"],
  ["acp", { type: "result", stopReason: "refusal" }, "The turn ended with refusal."],
])("reads the error of %s", (form, line, error) => {
  expect(read(form, line).error).toBe(error);
});

test.each([
  "not json",
  '{"type":',
  "[1]",
  '{"type":7,"message":null}',
  '{"type":"assistant","message":{"content":"x"}}',
])("ignores a line that it cannot read: %s", (line) => {
  for (const form of ["claude", "codex", "gemini", "opencode", "copilot", "acp"] as const)
    expect(readAgentLine(form, EMPTY_OUTPUT, line)).toEqual(EMPTY_OUTPUT);
});

const NOW = 1_795_000_000;

test.each<[string, number, number | undefined]>([
  ["Claude AI usage limit reached|1795000600", 0, 600],
  ["429 Too Many Requests, retry after 30 seconds", 0, 30],
  ["Rate limit reached. Please try again in 5m", 0, 300],
  ["Overloaded", 0, 30],
  ["Overloaded", 2, 600],
  ["usage limit, resets in 48 hours", 0, 24 * 3600],
  ["The tests fail: 42 of 99", 0, undefined],
])("%s after %i waits means a wait of %s seconds", (text, waits, seconds) => {
  expect(readLimitWait(text, NOW, waits)).toBe(seconds);
});

test.each([
  ["Not logged in. Please run /login", true],
  ["401 Unauthorized", true],
  ["The login form is missing", false],
])("%s: is a sign-in missing? %s", (text, expected) => {
  expect(isLoginProblem(text)).toBe(expected);
});
