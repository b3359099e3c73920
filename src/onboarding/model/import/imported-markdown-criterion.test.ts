import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCriterionSentence, parseCriterionSteps } from "./imported-markdown.ts";

test.each([
  [
    "Gherkin",
    "**Given** a cart, **When** one pays, **Then** a mail is sent",
    { given: "a cart", when: "one pays", outcome: "a mail is sent" },
  ],
  [
    "an event of EARS",
    "WHEN a door opens THEN the light SHALL go on",
    { when: "a door opens", outcome: "the light SHALL go on" },
  ],
  [
    "an event without THEN",
    "When a door opens, the light shall go on",
    { when: "a door opens", outcome: "the light shall go on" },
  ],
  [
    "an unwanted event",
    "IF the door is locked, THEN the bell SHALL ring",
    { when: "the door is locked", outcome: "the bell SHALL ring" },
  ],
  ["a state", "WHILE it is dark, the lamp SHALL shine", { given: "it is dark", outcome: "the lamp SHALL shine" }],
  [
    "an option",
    "Where a bell is fitted, the door shall ring",
    { given: "a bell is fitted", outcome: "the door shall ring" },
  ],
  [
    "a state and an event",
    "While it is dark, when a door opens, the lamp shall shine",
    { given: "it is dark", when: "a door opens", outcome: "the lamp shall shine" },
  ],
])("splits %s, and keeps its text", (_, sentence, parts) => {
  const { notes, ...criterion } = parseCriterionSentence(sentence);
  expect(criterion).toEqual(parts);
  expect(notes ?? sentence).toBe(sentence);
});

test.each([
  "THE system SHALL list boats by draught",
  "When in doubt",
  "When, then",
  "システムは一覧を表示する",
  "Whenever",
  "If only",
])("reads %s as an outcome", (sentence) => {
  expect(parseCriterionSentence(sentence)).toEqual({ outcome: sentence });
});

test.each([
  [
    "- **GIVEN** two ships\n- **WHEN** one asks\n- **THEN** two are named\n- **AND** the faster is first",
    { given: "two ships", when: "one asks", outcome: "two are named; and the faster is first" },
  ],
  ["WHEN one asks\nat night\nTHEN nobody answers", { when: "one asks at night", outcome: "nobody answers" }],
  ["- **THEN** it is so", { outcome: "it is so" }],
  ["- **GIVEN** nothing more", undefined],
  ["It is so.", undefined],
])("reads the steps %j", (text, parts) => {
  expect(parseCriterionSteps(text)).toEqual(parts);
});

test("loses no word of any text", () => {
  const word = fc.constantFrom("when", "IF", "then", "while", ",", "the", "shall", "given", "x", "*", "où", "SHALL");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 15 }), (words) => {
      const sentence = words.join(" ");
      const { given = "", when: event = "", outcome = "", notes = "" } = parseCriterionSentence(sentence);
      const kept = `${given} ${event} ${outcome} ${notes}`;
      for (const each of words.filter((w) => /^(?:x|où|shall)$/.test(w))) expect(kept).toContain(each);
    }),
  );
});
