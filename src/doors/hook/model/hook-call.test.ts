import { expect, test } from "vitest";
import { parseHookCall } from "./hook-call.ts";

const NOTHING = {
  session: "default",
  cwd: undefined,
  source: undefined,
  tool: "",
  input: {},
  isStopActive: false,
  message: undefined,
  transcript: undefined,
  toolCall: "",
  agentId: "",
};

test.each(["session-start", "SessionStart", "SESSION_START", "sessionstart"])("%s is one event", (name) => {
  expect(parseHookCall(name, "{}")).toEqual({ ...NOTHING, event: "SessionStart" });
});

test("takes the event from the payload where the command line names none", () => {
  expect(parseHookCall(undefined, '{"hook_event_name":"Stop"}')).toEqual({ ...NOTHING, event: "Stop" });
  expect(parseHookCall("stop", '{"hook_event_name":"SessionEnd"}')).toEqual({ ...NOTHING, event: "Stop" });
});

test.each([
  ["nothing", undefined, ""],
  ["no JSON", "stop", "{"],
  ["a text", "stop", '"stop"'],
  ["a list", "stop", "[]"],
  ["null", "stop", "null"],
  ["an event that is none of ours", "pre-compact", "{}"],
  ["no event at all", undefined, "{}"],
  ["an event of the wrong type", undefined, '{"hook_event_name":["Stop"]}'],
])("%s is not a call", (_, name, payload) => {
  expect(parseHookCall(name, payload)).toBeUndefined();
});

test("ignores a field of the wrong type", () => {
  const wrong = {
    session_id: 5,
    cwd: { a: 1 },
    source: [],
    tool_name: 7,
    tool_input: "x",
    stop_hook_active: "yes",
    last_assistant_message: 1,
    transcript_path: "a\0b",
  };
  expect(parseHookCall("stop", JSON.stringify(wrong))).toEqual({ ...NOTHING, event: "Stop" });
});

test.each([
  ["0b9cbc3e-5dd0-4a28-8b2e-9d1a4a6c2f11", "0b9cbc3e-5dd0-4a28-8b2e-9d1a4a6c2f11"],
  ["a b", "default"],
  ["$(reboot)", "default"],
  ["'; rm", "default"],
  ["x".repeat(65), "default"],
  ["", "default"],
])("names the session %j %s", (said, called) => {
  expect(parseHookCall("stop", JSON.stringify({ session_id: said }))?.session).toBe(called);
});

test.each([
  [
    "Cursor's edit",
    { conversation_id: "c1", workspace_roots: ["/w"], file_path: "/w/a.ts", edits: [] },
    "edit",
    { file_path: "/w/a.ts" },
  ],
  [
    "Copilot's call",
    { sessionId: "c1", cwd: "/w", toolName: "create", toolArgs: { path: "a.ts" } },
    "create",
    { path: "a.ts" },
  ],
  [
    "Copilot's call as text",
    { sessionId: "c1", cwd: "/w", toolName: "create", toolArgs: '{"path":"a.ts"}' },
    "create",
    { path: "a.ts" },
  ],
  [
    "Gemini's call",
    { session_id: "c1", cwd: "/w", tool_name: "replace", tool_input: { file_path: "a.ts" } },
    "replace",
    { file_path: "a.ts" },
  ],
  [
    "Windsurf's action",
    { trajectory_id: "c1", cwd: "/w", agent_action_name: "pre_write_code", tool_info: { file_path: "a.ts" } },
    "pre_write_code",
    { file_path: "a.ts" },
  ],
])("understands %s", (_, payload, tool, input) => {
  expect(parseHookCall("pre-tool-use", JSON.stringify(payload))).toEqual({
    ...NOTHING,
    event: "PreToolUse",
    session: "c1",
    cwd: "/w",
    tool,
    input,
  });
});
