import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { createProductValues } from "./template-values.ts";
import {
  ANTI_GOALS_HEADING,
  SUCCESS_CRITERIA_HEADING,
  readUserIntent,
  addFeatureCriterion,
  setProductItems,
  appendProductDecision,
  updateSpecRationale,
  setProductVision,
} from "./product-document.ts";

const TEMPLATE = fs.readFileSync("assets/templates/steering/product.md", "utf8");
const EMPTY = renderTemplate(TEMPLATE, createProductValues({}));
const name = (text: string): FeatureName => text as FeatureName;

test("does not read a placeholder as an intent", () => {
  expect(readUserIntent(EMPTY)).toEqual({ vision: "", success_criteria: [], anti_goals: [] });
  expect(readUserIntent("")).toEqual({ vision: "", success_criteria: [], anti_goals: [] });
});

test("reads back the intent of a new file", () => {
  const intent = {
    vision: "Tides for all.\n\nEverywhere.",
    success_criteria: ["Fast, even at sea"],
    anti_goals: ["No ads"],
  };
  const text = renderTemplate(TEMPLATE, createProductValues({ ...intent, purpose: "Tide tables." }));
  expect(readUserIntent(text)).toEqual(intent);
  expect(text.startsWith("# Product\n\nTide tables.\n\n## Target Users\n\n<users and their goals>")).toBe(true);
});

test("finds headings in a person's own spelling", () => {
  const text = "# P\n\n## 1. Success criteria (draft)\n\n1. Fast\n\n## **Vision**:\n\nTides.\n";
  expect(readUserIntent(text)).toEqual({ vision: "Tides.", success_criteria: ["Fast"], anti_goals: [] });
});

test("replaces the vision and keeps the rest", () => {
  const once = setProductVision(EMPTY, "Tides for all.");
  expect(once).toBe(EMPTY.replace("<the future of the product, in the user's words>", "Tides for all."));
  expect(setProductVision(once, "Tides  for all")).toBe(once);
  expect(setProductVision(once, "Weather too.")).toBe(once.replace("Tides for all.", "Weather too."));
});

test("adds items once, or replaces them", () => {
  const two = setProductItems(EMPTY, SUCCESS_CRITERIA_HEADING, ["Fast", "Right", "fast"]);
  expect(readUserIntent(two).success_criteria).toEqual(["Fast", "Right"]);
  expect(setProductItems(two, SUCCESS_CRITERIA_HEADING, ["right."])).toBe(two);
  expect(readUserIntent(setProductItems(two, SUCCESS_CRITERIA_HEADING, ["Cheap"])).success_criteria).toEqual([
    "Fast",
    "Right",
    "Cheap",
  ]);
  expect(readUserIntent(setProductItems(two, SUCCESS_CRITERIA_HEADING, ["Cheap"], true)).success_criteria).toEqual([
    "Cheap",
  ]);
  expect(setProductItems(two, SUCCESS_CRITERIA_HEADING, ["Fast", "Right"], true)).toBe(two);
});

test("creates a missing section in its place", () => {
  const bare = "# Product\n\nMine.\n\n## Decision Log\n\n- 2026-01-01 D1: Begin\n\n## Notes\n\nMine too.\n";
  const text = setProductItems(setProductVision(bare, "Tides."), ANTI_GOALS_HEADING, ["No ads"]);
  expect(updateSpecRationale(text, [feature("login")])).toBe(
    "# Product\n\nMine.\n\n## User Intent\n\n### Vision\n\nTides.\n\n### Anti-Goals\n\n- No ads\n\n" +
      "## Spec Rationale\n\n- **login** (wave 1): About login\n\n" +
      "## Decision Log\n\n- 2026-01-01 D1: Begin\n\n## Notes\n\nMine too.\n",
  );
  expect(
    setProductItems(setProductItems("# Product\n", ANTI_GOALS_HEADING, ["a"]), SUCCESS_CRITERIA_HEADING, ["b"]),
  ).toBe("# Product\n\n## User Intent\n\n### Success Criteria\n\n- b\n\n### Anti-Goals\n\n- a\n");
});

test("rejects a file with an open comment", () => {
  expect(() => appendProductDecision("# Product\n\n<!-- oh\n", "x")).toThrow(
    expect.objectContaining({ code: "steering.unreadable" }),
  );
});

const feature = (id: string, wave = 1, ...dependencies: string[]) => ({
  name: name(id),
  description: `About ${id}`,
  wave,
  dependencies: dependencies.map(name),
});

test("updates the rationale with the roadmap and keeps a person's text", () => {
  const first = updateSpecRationale(EMPTY, [feature("accounts"), feature("login", 2, "accounts")]);
  expect(first).toContain(
    "text. -->\n\n- **accounts** (wave 1): About accounts\n- **login** (wave 2; builds on accounts): About login\n\n## Decision",
  );
  expect(updateSpecRationale(first, [feature("accounts"), feature("login", 2, "accounts")])).toBe(first);
  const edited = first
    .replace("About login", "Passkeys need accounts first")
    .replace("## Decision", "Cut by risk.\n\n## Decision");
  const second = updateSpecRationale(edited, [feature("login", 1), feature("tides", 2, "login")]);
  expect(second).toContain(
    "- **login** (wave 1): Passkeys need accounts first\n\nCut by risk.\n\n- **tides** (wave 2; builds on login): About tides\n\n## Decision",
  );
  expect(second).not.toContain("**accounts**");
});

test("keeps one criterion per feature in any wording", () => {
  const once = addFeatureCriterion(EMPTY, name("login"), "Members log in");
  expect(readUserIntent(once).success_criteria).toEqual(["login: Members log in"]);
  const edited = once.replace("Members log in", "Members log in within a second");
  expect(addFeatureCriterion(edited, name("login"), "Members log in")).toBe(edited);
});

test("appends to the log", () => {
  const once = appendProductDecision(EMPTY, "2026-01-31 D1: Begin");
  expect(once).toBe(`${EMPTY}\n- 2026-01-31 D1: Begin\n`);
  expect(appendProductDecision(once, "2026-01-31 D2: Go on")).toBe(`${once}- 2026-01-31 D2: Go on\n`);
});

test("keeps every other byte in an edit, for any file", () => {
  const prose = fc
    .array(fc.constantFrom("Mine.", "- item", "> quote", "", "  ", "| a | b |", "### Deeper", "```\ncode\n```"), {
      maxLength: 6,
    })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(prose, prose, prose, fc.boolean(), (head, middle, tail, isWindows) => {
      const plain = `# P\n\n${head}\n\n## Vision\n\nOld.\n\n## Own\n\n${middle}\n\n## Success Criteria\n\n- a\n\n## More\n${tail}`;
      const text = isWindows ? plain.replaceAll("\n", "\r\n") : plain;
      const eol = isWindows ? "\r\n" : "\n";
      expect(setProductVision(text, "New.")).toBe(text.replace("Old.", "New."));
      expect(setProductItems(text, SUCCESS_CRITERIA_HEADING, ["b"])).toBe(
        text.replace(`- a${eol}${eol}## More`, `- a${eol}- b${eol}${eol}## More`),
      );
    }),
  );
});
