import { expect, test } from "vitest";
import { findUnansweredFacts } from "./context-facts.ts";
import type { ContextFact } from "../change/change-record.ts";

const FACTS: readonly ContextFact[] = [
  { id: "CF-1", severity: "critical", fact: "The description names FR-009, which does not exist." },
  { id: "CF-2", severity: "warning", fact: "The term is new." },
  { id: "CF-10", severity: "critical", fact: "The open change other names FR-001 too." },
];

test.each([
  ["no text", "## Findings\n\nNone.", ["CF-1", "CF-10"]],
  ["both", "- CF-1: it was a slip\n- CF-10: that one lands first", []],
  ["answers in any format", "### **CF-1** – it was a slip\n\n1. `CF-10` the other lands first", []],
  ["answers in a table", "| CF-1 | it was a slip |\n| CF-10 | the other lands first |", []],
  ["an empty line", "- CF-1:\n- CF-10:   ", ["CF-1", "CF-10"]],
  ["marks only", "- CF-1: … – *** !!!\n- CF-10: the other lands first", ["CF-1"]],
  ["only a confirmation", "- CF-1: ok\n- CF-10: is fine", ["CF-1", "CF-10"]],
  ["the placeholder of the guide", "- CF-1: <how it is settled>\n- CF-10: the other lands first", ["CF-1"]],
  ["only the fact repeated", `- CF-1: ${FACTS[0]?.fact}\n- CF-10 critical: ${FACTS[2]?.fact}`, ["CF-1", "CF-10"]],
  ["answers in the middle of a line", "About CF-1: it was a slip. CF-10: lands first", ["CF-1", "CF-10"]],
  ["an answer to another fact", "- CF-100: it was a slip\n- CF-2: it was a slip", ["CF-1", "CF-10"]],
  ["an answer in a comment", "<!--\n- CF-1: it was a slip\n-->\n- CF-10: the other lands first", ["CF-1"]],
  ["an answer in code", "```\n- CF-1: it was a slip\n```\n- CF-10: the other lands first", ["CF-1"]],
  ["an empty answer before a good one", "- CF-1:\n- CF-1: it was a slip\n- CF-10: the other lands first", []],
])("checks an answer with %s", (_, artifact, left) => {
  expect(findUnansweredFacts(FACTS, artifact).map(({ problem }) => problem.split(" ")[0])).toEqual(left);
});

test("a problem names the fact and the missing text", () => {
  expect(findUnansweredFacts(FACTS.slice(0, 1), "")).toEqual([
    {
      problem:
        'CF-1 is not answered: start a line with "CF-1:" and write how it is settled. The fact: The description names FR-009, which does not exist.',
    },
  ]);
});

test.each(["CF-1: ok", `- CF-1: ${FACTS[0]?.fact}`])("reports what is missing in a short line: %j", (artifact) => {
  expect(findUnansweredFacts(FACTS.slice(0, 1), artifact)).toEqual([
    {
      problem:
        "CF-1 is not answered: its line needs at least 3 words that explain how it is settled, without repeating the fact. The fact: The description names FR-009, which does not exist.",
    },
  ]);
});
