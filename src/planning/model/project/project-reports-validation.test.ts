import fs from "node:fs";
import { expect, test } from "vitest";
import { PROJECT_MODES } from "#kernel/model/stages/project-stages.ts";
import { renderValidationReport } from "./project-reports.ts";

const TEMPLATE = fs.readFileSync("assets/templates/project/validate.md", "utf8");
const at = "2026-01-31T12:00:00Z";
const FACTS = {
  coverage: [
    { id: "FR-001", components: ["A|B", "C"], tasks: ["TASK-001"] },
    { id: "FR-002", components: [], tasks: [] },
  ],
  failures: [{ finding: "FR-002 is not covered by any task.", stage: "tasks" as const }],
  warnings: [],
  verdict: "FAIL" as const,
};

test.each(PROJECT_MODES)("writes the verdict, the facts and the reason into the document (%s)", (mode) => {
  const validation = {
    at,
    verdict: "PASS" as const,
    facts: "FAIL" as const,
    override: "The customer {{verdict}} agreed",
  };
  const texts = { consistency_issues: "None found.", recommendations: "Go on" };
  const text = renderValidationReport(TEMPLATE, { mode, validation, facts: FACTS, texts });
  for (const part of [
    "| FR-001      | A\\|B, C    | TASK-001 |",
    "| FR-002      | none       | none     |",
    "- FR-002 is not covered by any task.",
    "The customer {{verdict}} agreed",
    "None found.",
    "Go on",
  ])
    expect(text).toContain(part);
  expect(/\bPASS\b[\s\S]*\bFAIL\b/.test(text)).toBe(true);
  expect(text.includes("\n> ")).toBe(mode === "guided");
});

test("leaves out an empty part", () => {
  const validation = { at, verdict: "PASS" as const, facts: "PASS" as const };
  const facts = { coverage: [], failures: [], warnings: [], verdict: "PASS" as const };
  const text = renderValidationReport(TEMPLATE, {
    mode: "expert",
    validation,
    facts,
    texts: { consistency_issues: "None." },
  });
  expect(text.match(/^## .*$/gm)).toMatchInlineSnapshot(`
    [
      "## Coverage",
      "## Consistency",
    ]
  `);
});
