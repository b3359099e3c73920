import { expect, test } from "vitest";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { listRequirementAndRuleIds, parseDesignComponents } from "./design-coverage.ts";

test.each([
  [
    "headings",
    "### 1. **Tables**: computes (daily)\n\nFR-001, BR-001\n\n#### Inside\n\nNFR-001\n\n### Page\n\nFR-001, FR-001",
    [
      { name: "Tables", carries: ["FR-001", "NFR-001", "BR-001"] },
      { name: "Page", carries: ["FR-001"] },
    ],
  ],
  [
    "list items",
    "- **Tables**: FR-001\n  - inside: FR-002\n- `Page` shows BR-001\n1. Store (files)",
    [
      { name: "Tables", carries: ["FR-001", "FR-002"] },
      { name: "Page", carries: ["BR-001"] },
      { name: "Store", carries: [] },
    ],
  ],
  ["ids in the name", "### Tables (FR-001)\n\nx", [{ name: "Tables", carries: ["FR-001"] }]],
  ["prose", "Only words, FR-001.", []],
  ["code", "```\n### Tables\n```\n", []],
])("reads components from %s", (_, text, components) => {
  expect(parseDesignComponents(`# Design\n\n## Components\n\n${text}\n\n## Data model\n\n### Row\n\nFR-009\n`)).toEqual(
    components,
  );
});

test("finds no components in a design without the heading", () => {
  expect(parseDesignComponents("# Design\n\n### Tables\n")).toEqual([]);
});

test("lists each id once, requirements first", () => {
  expect(listRequirementAndRuleIds(parseProseLines("BR-001 FR-002 FR-001\nFR-002 TASK-001 BR-001"))).toEqual([
    "FR-002",
    "FR-001",
    "BR-001",
  ]);
});
