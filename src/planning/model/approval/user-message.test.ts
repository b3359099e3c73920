import { expect, test } from "vitest";
import { type ApprovalQuestion, YES_OR_NO } from "./approval-proof.ts";
import { matchUserMessage, parseAnswer } from "./user-message.ts";

test.each([
  ["yes", "approve"],
  ["Yes!", "approve"],
  ["ok, go ahead", "approve"],
  ["looks good to me", "approve"],
  ["LGTM", "approve"],
  ["I approve the spec", "approve"],
  ["approved", "approve"],
  ["Yes, that's exactly what I want.", "approve"],
  ["ja, passt", "approve"],
  ["はい", "approve"],
  ["no", "reject"],
  ["No, the limit is 10 and not 5", "reject"],
  ["reject", "reject"],
  ["nein", "reject"],
  ["don't do that", "reject"],
  ["yes, but change the limit to 10", undefined],
  ["ok if the tests pass", undefined],
  ["is it ok?", undefined],
  ["do not approve this", "reject"],
  ["not approved", "reject"],
  ["yes - wait, no", undefined],
  ["change the second criterion", undefined],
  ["The server said 200 OK", undefined],
  ["Please add a logout button", undefined],
  [`yes ${"and more ".repeat(30)}`, undefined],
])("reads %j as %s", (message, choice) => {
  expect(parseAnswer(message, YES_OR_NO)).toBe(choice);
});

test.each([
  ["fix", "fix"],
  ["Skip it please", "skip"],
  ["let's abort", "abort"],
  ["fix it or skip it", undefined],
  ["yes", undefined],
  ["don't skip it", undefined],
  ["try again with another approach", undefined],
])("reads %j as %s of several choices", (message, choice) => {
  expect(parseAnswer(message, ["fix", "skip", "abort"])).toBe(choice);
});

test("a yes approves where one of several choices means approval", () => {
  expect(parseAnswer("yes please", ["approve", "reject", "except"])).toBe("approve");
  expect(parseAnswer("no", ["continue", "stop"])).toBe("stop");
});

const question = (id: string, session = "s1"): ApprovalQuestion => ({
  id,
  area: "workflow",
  stage: "specify",
  question: `Approve the spec of ${id}?`,
  choices: YES_OR_NO,
  text: "a".repeat(64),
  key: `key of ${id}`,
  session,
  at: "2026-01-31T12:00:00Z",
});

test("a yes answers the only question of the session", () => {
  expect(matchUserMessage("yes", [question("AUTH-001"), question("BUG-001", "s2")], "s1", ["s1", "s2"])).toEqual([
    { key: "key of AUTH-001", choice: "approve", quote: "yes" },
  ]);
});

test("a yes in another session answers nothing", () => {
  expect(matchUserMessage("yes", [question("AUTH-001")], "s2", ["s1", "s2"])).toEqual([]);
});

test("a yes answers the question of a caller without hooks only if one session reports messages", () => {
  const asked = [question("AUTH-001", "default")];
  expect(matchUserMessage("yes", asked, "s1", ["s1"])).toHaveLength(1);
  expect(matchUserMessage("yes", asked, "s1", ["s1", "s2"])).toEqual([]);
});

test("with two questions, only a message with an id answers one of them", () => {
  const asked = [question("AUTH-001"), question("BUG-001")];
  expect(matchUserMessage("yes", asked, "s1", ["s1"])).toEqual([
    { key: "key of AUTH-001", quote: "yes" },
    { key: "key of BUG-001", quote: "yes" },
  ]);
  expect(matchUserMessage("approve BUG-001", asked, "s1", ["s1"])).toEqual([
    { key: "key of BUG-001", choice: "approve", quote: "approve BUG-001" },
  ]);
});

test("an id that begins like another one does not answer it", () => {
  expect(matchUserMessage("yes to AUTH-0010", [question("AUTH-001")], "s2", ["s1", "s2"])).toEqual([]);
});

test("keeps a short quote of an unclear message, and nothing of a command", () => {
  const long = "please rename the field, ".repeat(20);
  expect(matchUserMessage(long, [question("AUTH-001")], "s1", ["s1"])).toEqual([
    { key: "key of AUTH-001", quote: long.slice(0, 120) },
  ]);
  expect(matchUserMessage("/sdd:status", [question("AUTH-001")], "s1", ["s1"])).toEqual([]);
});
