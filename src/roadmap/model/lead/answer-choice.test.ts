import { expect, test } from "vitest";
import { matchAnswerChoice } from "./answer-choice.ts";

const STEERING = ["approve", "reject", "except"];
const ESCALATION = ["fix", "skip", "abort"];

test.each([
  [STEERING, "yes please", "approve"],
  [STEERING, "Approve.", "approve"],
  [STEERING, "No, we never log secrets", "reject"],
  [STEERING, "No, one feature is fine, leave it as it is", "reject"],
  [STEERING, "No, that's fine", undefined],
  [STEERING, "no. It does not fit our logs", "reject"],
  [STEERING, "no, don't approve that", undefined],
  [STEERING, "no, only here", undefined],
  [STEERING, "No, I don't mind", undefined],
  [STEERING, "yes, but not now", undefined],
  [["continue", "stop"], "no, go on", undefined],
  [STEERING, "no", "reject"],
  [STEERING, "only here", "except"],
  [STEERING, "don't approve that", undefined],
  [STEERING, "what does it cost?", undefined],
  [ESCALATION, "please try again", "fix"],
  [ESCALATION, "skip it for now", "skip"],
  [ESCALATION, "fix or skip, whatever", undefined],
  [ESCALATION, "yes", undefined],
  [["raise", "stop"], "raise 5000000", "raise"],
  [["raise", "stop"], "up to 5M", "raise"],
  [["raise", "stop"], "stop", "stop"],
  [["continue", "stop"], "sounds right, go on", "continue"],
  [["re-review", "re-implement", "skip"], "build it again", "re-implement"],
  [["proceed", "abort"], "commit anyway", "proceed"],
] as const)("of %s, the answer %s means %s", (choices, said, choice) => {
  expect(matchAnswerChoice(choices, said)).toBe(choice);
});
