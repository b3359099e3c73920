import { expect, test } from "vitest";
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  formatApprover,
  judgeApproval,
  type ProofAbilities,
  YES_OR_NO,
} from "./approval-proof.ts";

const at = "2026-01-31T12:00:00Z";
const asked: ApprovalQuestion = {
  id: "AUTH-001",
  area: "workflow",
  stage: "specify",
  question: "Do you approve the spec of AUTH-001?",
  choices: YES_OR_NO,
  text: "a".repeat(64),
  key: "k1",
  session: "s1",
  at,
};
const given = { choice: "approve", by: "Ann", at };
const bare: ProofAbilities = { canElicit: false, isHooked: false, isTyped: false };
const hooked = { ...bare, isHooked: true };
const heard = { ...asked, heard: { at, quote: "carry on as we said" } };
const yes: ApprovalAnswer = { ...given, proof: "witnessed", quote: "yes" };
const no: ApprovalAnswer = { ...given, choice: "reject", proof: "elicited", reason: "Too broad." };

test.each([
  ["relays the agent's word for a client without forms and hooks", asked, given, "auto", bare, "relayed"],
  ["relays the agent's word without an open question", undefined, given, "auto", bare, "relayed"],
  ["asks without an answer", asked, undefined, "auto", bare, "needed"],
  ["asks if the client can show a form", asked, given, "auto", { ...bare, canElicit: true }, "needed"],
  ["hooks, before the question", undefined, given, "auto", hooked, "needed"],
  ["hooks, and the user wrote nothing", asked, given, "auto", hooked, "needed"],
  ["hooks, and an unclear message", heard, given, "auto", hooked, "relayed"],
  ["hooks, and a yes", { ...asked, answer: yes }, given, "auto", hooked, "witnessed"],
  ["hooks, a yes and no name", { ...asked, answer: yes }, undefined, "auto", hooked, "witnessed"],
  ["prefers the user's no to the agent's word", { ...asked, answer: no }, given, "auto", bare, "elicited"],
  ["prefers the user's no where relayed answers count", { ...asked, answer: no }, given, "relayed", bare, "elicited"],
  ["accepts a typed answer", asked, given, "proven", { ...bare, isTyped: true }, "typed"],
  [
    "accepts a typed yes after an earlier no",
    { ...asked, answer: no },
    given,
    "auto",
    { ...bare, isTyped: true },
    "typed",
  ],
  ["relays the agent's word if the settings allow it", asked, given, "relayed", hooked, "relayed"],
  ["asks if the settings require proof", asked, given, "proven", bare, "needed"],
] as const)("%s", (_, question, said, setting, abilities, proof) => {
  const verdict = judgeApproval(question, said, setting, abilities);
  expect(verdict.status === "answered" ? verdict.answer.proof : verdict.status).toBe(proof);
});

test("keeps an unclear message with the answer that the agent passed on", () => {
  expect(judgeApproval(heard, given, "auto", hooked)).toEqual({
    status: "answered",
    answer: { ...given, proof: "relayed", quote: "carry on as we said" },
  });
});

test("names the proof, and marks its absence", () => {
  expect(formatApprover({ by: "Ann", proof: "typed" })).toBe("Ann, typed in a terminal");
  expect(formatApprover({ by: "Ann", proof: "elicited", client: "codex" })).toBe("Ann, answered in codex");
  expect(formatApprover({ by: "Ann", proof: "witnessed", quote: "yes" })).toBe('Ann, who wrote "yes"');
  expect(formatApprover({ by: "Ann", proof: "relayed" })).toBe("Ann (unproved: the agent reported it)");
});
