import { expect, test } from "vitest";
import { CLIENT_DIALECT_NAMES, translateHookAnswer } from "./hook-call.ts";

const DENIAL = {
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "No." },
};
const GREETING = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "Hello." } };
const CLAIM = { systemMessage: "Unproven.", decision: "block", reason: "Unproven." };

test.each([
  ["cursor", "pre-tool-use", DENIAL, { answer: { permission: "deny", user_message: "No.", agent_message: "No." } }],
  ["cursor", "pre-tool-use", undefined, { answer: { permission: "allow" } }],
  ["cursor", "session-start", GREETING, { answer: { additional_context: "Hello." } }],
  ["cursor", "session-start", undefined, { answer: {} }],
  ["cursor", "user-prompt-submit", undefined, { answer: { continue: true } }],
  ["cursor", "stop", CLAIM, { answer: { followup_message: "Unproven." } }],
  [
    "copilot",
    "pre-tool-use",
    DENIAL,
    { answer: { ...DENIAL, permissionDecision: "deny", permissionDecisionReason: "No." } },
  ],
  ["copilot", "pre-tool-use", undefined, { answer: undefined }],
  ["copilot", "session-start", GREETING, { answer: { ...GREETING, additionalContext: "Hello." } }],
  ["copilot", "stop", CLAIM, { answer: CLAIM }],
  ["gemini", "pre-tool-use", DENIAL, { answer: { decision: "deny", reason: "No." } }],
  ["gemini", "session-start", GREETING, { answer: GREETING }],
  ["gemini", "stop", CLAIM, { answer: { decision: "deny", reason: "Unproven.", systemMessage: "Unproven." } }],
  ["gemini", "stop", undefined, { answer: undefined }],
  ["kiro", "pre-tool-use", DENIAL, { refusal: "No." }],
  ["kiro", "session-start", GREETING, { answer: { additionalContext: "Hello." } }],
  ["windsurf", "pre-tool-use", DENIAL, { refusal: "No." }],
  ["windsurf", "pre-tool-use", undefined, { refusal: undefined }],
  [undefined, "pre-tool-use", DENIAL, { answer: DENIAL }],
  ["toString", "stop", CLAIM, { answer: CLAIM }],
])("answers %s at %s in its own form", (dialect, event, answer, spoken) => {
  expect(translateHookAnswer(answer, event, dialect)).toEqual(spoken);
});

test("lists only dialects that setup writes", async () => {
  const { SETUP_CLIENTS } = await import("#onboarding/model/setup/client-catalog.ts");
  const used = Object.values(SETUP_CLIENTS).flatMap(({ hooks }) => hooks?.dialect ?? []);
  expect([...new Set(used)].toSorted()).toEqual([...CLIENT_DIALECT_NAMES].toSorted());
});
