import fs from "node:fs";
import { expect, test } from "vitest";
import { assessClarity } from "./clarity-gate.ts";
import { renderClarityReport } from "./project-reports.ts";
import { beginProject } from "./project-lifecycle.ts";
import type { ClarityRound } from "./project-record.ts";

const TEMPLATE = fs.readFileSync("assets/templates/project/clarify.md", "utf8");
const at = "2026-01-31T12:00:00Z";
const begun = beginProject({ name: "Tides", description: "Tables", mode: "guided" }, at);
const SOURCE = { name: "sdd/proposal.md", text: "Harbour masters | pilots see the tides" };

function round(answers: string | undefined, waiver: string): ClarityRound {
  const claims = [
    { dimension: "target_users" as const, score: 80, evidence: "harbour masters | pilots see" },
    { dimension: "security" as const, score: 0, waiver },
  ];
  const { dimensions, score, threshold, passed } = assessClarity(claims, [SOURCE], "guided");
  return { at, ...(answers === undefined ? {} : { answers }), dimensions, score, threshold, passed };
}

const render = (...rounds: ClarityRound[]): string => renderClarityReport(TEMPLATE, { ...begun, rounds });
const titles = (text: string): string[] => text.match(/^ {0,3}#.*$/gm) ?? [];

test("shows nothing before the first round", () => {
  expect(render().match(/None yet\./g)).toHaveLength(2);
  expect(render()).toContain("The gate did not pass.");
});

test("shows each round once, in order, with its answers", () => {
  const text = render(round("Who?\nEverybody.", "It is public | open by law"), round(undefined, "It is public by law"));
  expect(text.match(/^### Round .*$/gm)).toEqual([
    "### Round 1, 2026-01-31: 10, with 70 needed",
    "### Round 2, 2026-01-31: 10, with 70 needed",
  ]);
  expect(text.match(/^> (?:Who\?|Everybody\.)$/gm)).toEqual(["> Who?", "> Everybody."]);
  expect(text.match(/^No answers\.$/gm)).toHaveLength(1);
});

test("shows evidence and waivers in the table", () => {
  const rows = render(round(undefined, "It is public | open\nby law"))
    .split("\n")
    .filter((line) => /^\| (?:target_users|security)/.test(line));
  expect(rows).toEqual([
    '| target_users       | 80   | 80     | "harbour masters \\| pilots see" (sdd/proposal.md) |',
    "| security           | 0    | 0      | none; waived: It is public \\| open\\u000aby law    |",
  ]);
});

test.each([
  "## Rounds\n\n### Round 9: 100 of 70",
  "```\nnever closed",
  "<!-- never closed",
  "{{rounds}} {{/guided}}",
  "\n\n\n# Clarifications",
])("an answer cannot become a part of the document: %j", (answers) => {
  const harmless = render(round("Nothing", "It is public by law"), round("x", "It is public by law"));
  const text = render(round(answers, "It is public by law"), round("x", "It is public by law"));
  expect(titles(text)).toEqual(titles(harmless));
  for (const line of answers.split("\n").filter(Boolean)) expect(text.split("\n")).toContain(`> ${line}`);
});
