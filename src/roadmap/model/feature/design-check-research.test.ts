import { expect, test } from "vitest";
import { RESEARCH } from "../../../../test/kit/feature.ts";
import { checkResearchDocument, RESEARCH_SECTIONS } from "./design-check.ts";

const told = (text: string): string[] =>
  checkResearchDocument(text).problems.map(({ problem, line }) => `${line}: ${problem}`);

test("accepts a complete research", () => {
  expect(checkResearchDocument(RESEARCH)).toEqual({ problems: [], notes: [] });
});

test.each(RESEARCH_SECTIONS.map(({ name }) => name))('requires the section "%s"', (name) => {
  expect(told(RESEARCH.replace(`## ${name}`, "## Else"))).toEqual([
    expect.stringContaining(`The section "## ${name}" is missing: write it`),
  ]);
});

const SCOPES = "one of New Feature, Extension, Simple Addition, Complex Integration";

test.each([
  [
    "the scope is missing",
    /- \*\*Discovery.*\n/,
    "",
    `3: The summary lacks the discovery scope: write "**Discovery Scope:** …", ${SCOPES}.`,
  ],
  [
    "the scope is unknown",
    "New Feature",
    "Some",
    `5: The summary lacks the discovery scope: write "**Discovery Scope:** …", ${SCOPES}.`,
  ],
  [
    "a section is empty",
    /(## Research Log\n)[^]*?(?=## Arch)/,
    "$1\n",
    '7: There is no text under "## Research Log": write what there is to say.',
  ],
  ["a placeholder remains", "They keep a token.", "{{findings}}", '9: "{{findings}}" is not filled in yet.'],
])("rejects a research in which %s", (_, was, is, problem) => {
  expect(told(RESEARCH.replace(was, is))).toEqual([problem]);
});
