import { expect, test } from "vitest";
import { isRemovedPiece, splitDocumentPieces, getPieceText } from "./document-pieces.ts";

const of = (text: string) => splitDocumentPieces({ path: "sdd/requirements.md", text });

test("finds sections and their items, each with its line and headings", () => {
  const text = [
    "# Requirements",
    "",
    "What the shop does.",
    "",
    "## Must have",
    "",
    "Only these.",
    "",
    "- **FR-001**: Search answers.",
    "  Even when it is empty.",
    "- FR-002: Uploads end.",
    "",
    "### Rules",
    "",
    "#### Deeper",
    "",
    "Belongs to Rules.",
  ].join("\n");
  expect(of(text)).toEqual([
    {
      path: "sdd/requirements.md",
      line: 1,
      title: "Requirements",
      text: "What the shop does.",
      under: ["Requirements"],
    },
    {
      path: "sdd/requirements.md",
      line: 5,
      title: "Must have",
      text: "Only these.",
      under: ["Requirements", "Must have"],
    },
    {
      path: "sdd/requirements.md",
      line: 9,
      title: "FR-001",
      text: "- **FR-001**: Search answers.\n  Even when it is empty.",
      under: ["Requirements", "Must have"],
      id: "FR-001",
    },
    {
      path: "sdd/requirements.md",
      line: 11,
      title: "FR-002",
      text: "- FR-002: Uploads end.",
      under: ["Requirements", "Must have"],
      id: "FR-002",
    },
    {
      path: "sdd/requirements.md",
      line: 13,
      title: "Rules",
      text: "#### Deeper\n\nBelongs to Rules.",
      under: ["Requirements", "Must have", "Rules"],
    },
  ]);
});

test.each([
  ["nothing", "", []],
  ["blanks", " \n\n", []],
  ["no heading", "Just words.\r\nAnd more.", ["Just words.\nAnd more."]],
  ["a heading with nothing under it", "## Empty\n\n## Full\n\nx", ["x"]],
  [
    "code, which is quoted but never an item",
    "## A\n\n```\nFR-001: no item\n## no heading\n```",
    ["```\nFR-001: no item\n## no heading\n```"],
  ],
])("%s", (_, text, texts) => {
  expect(of(text).map((piece) => piece.text)).toEqual(texts);
});

test("removes only items below Removed", () => {
  const text =
    "## Kept\n\n- FR-001: a\n\n## 4. Removed\n\n- FR-002: b\n\n### Since May\n\n- BR-003: c\n\n## Removed items list\n\n- FR-004: d\n\n## Removal\n\n- FR-005: e\n\n## __Removed__\n\n- FR-006: f";
  expect(of(text).map((piece) => [piece.title, isRemovedPiece(piece)])).toEqual([
    ["FR-001", false],
    ["FR-002", true],
    ["BR-003", true],
    ["FR-004", true],
    ["FR-005", false],
    ["FR-006", true],
  ]);
});

test.each([
  ["- **FR-001**: Search answers.", "Search answers."],
  ["### FR-001 – Search\n\nIt answers.", "Search It answers."],
  ["| FR-001 | Search answers |", "Search answers |"],
  ["1. `BR-00010` When", "When"],
])("reads %j as %j", (text, said) => {
  expect(of(text).map(getPieceText)).toEqual([said]);
});

test("ignores generated lines and the scores of clarifications", () => {
  const own = new Set(["> What hurts today."]);
  const text =
    "## Must have\n\n> What hurts today.\n\n- FR-001: Search.\n\n## Other\n\n> What hurts today.\n\n> A quote.\n";
  expect(
    splitDocumentPieces({ path: "sdd/requirements.md", text }, own).map(({ line, title, text: said }) => [
      line,
      title,
      said,
    ]),
  ).toEqual([
    [5, "FR-001", "- FR-001: Search."],
    [7, "Other", "> A quote."],
  ]);
  const rounds = [
    "# Clarifications",
    "",
    "Score 80 of 100; guided mode asks for 70. The gate is passed.",
    "",
    "## Dimensions",
    "",
    "| dimension | said |",
    "| --- | --- |",
    "| security | 80 |",
    "",
    "### Round 1: 80 of 70, 2026-11-15",
    "",
    "security 80, edge_cases 70",
    "",
    "> Only the owner sees an order.",
  ];
  expect(splitDocumentPieces({ path: "sdd/clarifications.md", text: rounds.join("\n") })).toMatchObject([
    { line: 11, text: "> Only the owner sees an order.", weight: 0.25 },
  ]);
});
