import { expect, test } from "vitest";
import {
  assignConstraintIds,
  parseBusinessConstraints,
  parseTermDefinitions,
  listDefinedTerms,
  assignRequirementIds,
  parseRequirementItems,
} from "./requirement-items.ts";
import { assessClarity } from "./clarity-gate.ts";
import { CLARITY_DIMENSION_NAMES } from "#kernel/model/stages/project-stages.ts";
import { parseDesignComponents, planTaskWaves } from "./design-coverage.ts";
import { checkProjectDocument } from "./project-document.ts";
import { normalizeItemText, splitListItems } from "./requirement-lists.ts";

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
  splitItems: splitListItems,
  sameText: normalizeItemText,
  parseRequirements: parseRequirementItems,
  parseConstraints: (text) => parseBusinessConstraints(`## Constraints\n\n${text}`),
  parseTerms: parseTermDefinitions,
  termsIn: (text) => listDefinedTerms(`## Glossary\n\n${text}`),
  parseComponents: (text) => parseDesignComponents(`## Components\n\n${text}`),
  planTasks: (text) => planTaskWaves(`## Tasks\n\n${text}`),
  numberRequirements: (text) => assignRequirementIds({ must: text, should: text, qualities: "- a" }, text, NONE),
  numberConstraints: (text) => assignConstraintIds(text, text, NONE),
  assess: (text) =>
    assessClarity(
      CLARITY_DIMENSION_NAMES.map((dimension) => ({ dimension, score: 90, evidence: text.slice(0, 2_000) })),
      [{ name: "s", text }],
      "guided",
    ),
  "checkDocument specify": (text) => checkProjectDocument("specify", text, { adrs: [] }),
  "checkDocument business-rules": (text) => checkProjectDocument("business-rules", text, { adrs: [] }),
  "checkDocument tasks": (text) => checkProjectDocument("tasks", text, { adrs: [], requirements: text }),
};

/** A linear reader needs a fraction of a second for a text; one that is not would take longer than the whole test may. */
test.each(Object.keys(READERS))("%s reads whatever there is in one go", { timeout: 60_000 }, (name) => {
  const read = READERS[name];
  for (const text of NASTY) read?.(text);
  expect(NASTY.length).toBe(22);
});

test("numbers tens of thousands of items", { timeout: 60_000 }, () => {
  const list = Array.from({ length: 60_000 }, (_, i) => `- a${i}`).join("\n");
  const { requirements, problems } = assignRequirementIds({ must: list, should: "", qualities: "" }, undefined, NONE);
  expect([requirements.length, requirements.at(-1)?.id, problems]).toEqual([60_000, "FR-60000", []]);
});
