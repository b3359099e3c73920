import { expect, test } from "vitest";
import { numberConstraints, parseConstraints, parseTerms, termsIn } from "./business-rules.ts";
import { assess } from "./clarity.ts";
import { DIMENSION_NAMES } from "./vocabulary.ts";
import { parseComponents } from "./components.ts";
import { checkDocument } from "./document.ts";
import { sameText, splitItems } from "./items.ts";
import { planTasks } from "./plan.ts";
import { numberRequirements, parseRequirements } from "./requirements.ts";

const SIZE = 200_000;
const filled = (...parts: string[]): string[] => parts.map((part) => part.repeat(Math.ceil(SIZE / part.length)));

/** What a pattern that tries again at every place, or parts a run in every way, would need hours for. */
const NASTY = [
  ...filled(" ", ".", "*", "_ ", "`", "#", "- ", "<!--", "FR-001 ", "depends on ", "A ", "x;. ").map(
    (run) => `${run}x`,
  ),
  ...filled(" ", "* ", ": ").map((run) => `- FR-001${run}x\u2028y`),
  ...filled("when ", "then ").map((run) => `- **BR-001**: When ${run}x`),
  ...filled("- a\n", "# a\n", "- FR-001: a\n", "### TASK-001\n", "- **A**: b\n"),
];

const NONE = { taken: [], removed: [] };
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  splitItems,
  sameText,
  parseRequirements,
  parseConstraints: (text) => parseConstraints(`## Constraints\n\n${text}`),
  parseTerms,
  termsIn: (text) => termsIn(`## Glossary\n\n${text}`),
  parseComponents: (text) => parseComponents(`## Components\n\n${text}`),
  planTasks: (text) => planTasks(`## Tasks\n\n${text}`),
  numberRequirements: (text) => numberRequirements({ must: text, should: text, qualities: "- a" }, text, NONE),
  numberConstraints: (text) => numberConstraints(text, text, NONE),
  assess: (text) =>
    assess(
      DIMENSION_NAMES.map((dimension) => ({ dimension, score: 90, evidence: text.slice(0, 2_000) })),
      [{ name: "s", text }],
      "guided",
    ),
  "checkDocument specify": (text) => checkDocument("specify", text, { adrs: [] }),
  "checkDocument business-rules": (text) => checkDocument("business-rules", text, { adrs: [] }),
  "checkDocument tasks": (text) => checkDocument("tasks", text, { adrs: [], requirements: text }),
};

/** A linear reader needs a fraction of a second for a text; one that is not would take longer than the whole test may. */
test.each(Object.keys(READERS))("%s reads whatever there is in one go", { timeout: 60_000 }, (name) => {
  const read = READERS[name];
  for (const text of NASTY) read?.(text);
  expect(NASTY.length).toBe(22);
});

test("tens of thousands of items get their ids", { timeout: 60_000 }, () => {
  const list = Array.from({ length: 60_000 }, (_, i) => `- a${i}`).join("\n");
  const { requirements, problems } = numberRequirements({ must: list, should: "", qualities: "" }, undefined, NONE);
  expect([requirements.length, requirements.at(-1)?.id, problems]).toEqual([60_000, "FR-60000", []]);
});
