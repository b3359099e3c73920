import { expect, test } from "vitest";
import type { SourceChange } from "#git/operations/ports/git-files.ts";
import { buildReviewChecklist, type ReviewCriterion, type ReviewedChange, collectAddedLines } from "./change-review.ts";

const file = (path: string, ...added: string[]): SourceChange => ({
  path,
  status: "modified",
  added: added.map((text, i) => ({ number: i + 1, text })),
  removed: 0,
});

function review(criteria: readonly ReviewCriterion[], { files = [], ...more }: Partial<ReviewedChange>) {
  const { lines } = collectAddedLines(files);
  return buildReviewChecklist(criteria, { description: "", artifacts: "", statements: "", files, lines, ...more })
    .items;
}

const requirement = (id: string, text: string): ReviewCriterion => ({ id, kind: "requirement", text });

test("lists statements of the change first, then named things, then ids in the diff, then files with shared words", () => {
  const criteria: ReviewCriterion[] = [
    requirement("FR-001", "A search has pages."),
    requirement("FR-002", "Named by the diff."),
    requirement("FR-003", "Named by the change."),
    { id: "ADR-001", kind: "decision", text: "Its own", isOwn: true },
    requirement("FR-004", "Nothing to do with it."),
  ];
  const found = review(criteria, {
    description: "Pages for the search",
    artifacts: "See FR-003.",
    files: [file("a.ts", "// FR-002")],
  });
  expect(found.map(({ id, why }) => `${id}: ${why}`)).toEqual([
    "ADR-001: the change states it",
    "FR-003: the change names it",
    "FR-002: the diff names it",
    'FR-001: it mentions "pages", "search"',
  ]);
});

test("accepts as evidence a line that names the item, or a file or line with two of its words", () => {
  const files = [
    file("src/empty-search.ts", "x"),
    file("src/a.ts", "// FR-001: done", "return emptyResult(search);", "the search", "FR-0011 and XFR-001"),
    { ...file("src/moved.ts"), status: "renamed" as const, from: "src/search-empty.ts" },
  ];
  const [item] = review([requirement("FR-001", "An empty search is no error.")], { files });
  expect(item?.evidence).toEqual([
    "src/a.ts:1 names it",
    "src/empty-search.ts (modified)",
    "src/moved.ts (renamed)",
    "src/a.ts:2",
  ]);
});

test("requires the one distinctive word of an item, or its id where there is none", () => {
  const files = [file("a.ts", "the invoice", "new")];
  const criteria = [requirement("FR-001", "An invoice."), requirement("FR-002", "New.")];
  expect(review(criteria, { artifacts: "FR-001 FR-002", files }).map(({ evidence }) => evidence)).toEqual([
    ["a.ts:1"],
    [],
  ]);
});

test("recognizes a component by its name", () => {
  const criteria: ReviewCriterion[] = [
    { id: "Search service", kind: "component", text: "carries FR-001" },
    { id: "Billing", kind: "component", text: "carries FR-002" },
  ];
  const files = [file("a.ts", "import { SearchService } from './x'", "billing")];
  expect(review(criteria, { artifacts: "The search service and BILLING change.", files })).toEqual([
    { ...criteria[0], why: "the change names it", evidence: ["a.ts:1"] },
    { ...criteria[1], why: "the change names it", evidence: ["a.ts:2"] },
  ]);
});

test("limits matches by words alone, and the evidence for each", () => {
  const criteria = Array.from({ length: 40 }, (_, i) =>
    requirement(`FR-${100 + i}`, i < 20 ? `The search ${i}.` : "Else."),
  );
  const files = [file("a.ts", ...Array.from({ length: 40 }, () => "// FR-100"))];
  const found = review(criteria, { description: "The search", files });
  expect(found.map(({ id, evidence }) => [id, evidence.length])).toEqual([
    ["FR-100", 10],
    ["FR-101", 0],
    ["FR-102", 0],
    ["FR-103", 0],
    ["FR-104", 0],
    ["FR-105", 0],
  ]);
});

test("treats no items as similar for common words and locations", () => {
  const criteria = ["orders", "shops", "health"].map((name, i) =>
    requirement(`FR-00${i}`, `When a client sends GET /${name}, it lists a page. (evidence: src/route.ts:${i})`),
  );
  const files = [file("src/route.ts", "a client sends a page")];
  const found = review(criteria, { description: "Rename the health route, page by page", files });
  expect(found.map(({ id, why, evidence }) => [id, why, evidence])).toEqual([["FR-002", 'it mentions "health"', []]]);
});

test("reads long diffs for a limited time and counts the rest", () => {
  const files = [file("a.ts", ...Array.from({ length: 20_001 }, () => "x")), file("b.ts", "y", "")];
  const { lines, unread } = collectAddedLines(files);
  expect([lines.length, unread]).toEqual([20_000, 3]);
});

test("matches an id or a name only as a whole", () => {
  const criteria: ReviewCriterion[] = [
    requirement("FR-001", "One."),
    { id: "Cart (v2.0)", kind: "component", text: "" },
    { id: "Cart", kind: "component", text: "" },
  ];
  expect(review(criteria, { artifacts: "NFR-001, FR-0011, cartography and a go-cart2" })).toEqual([]);
  expect(review(criteria, { artifacts: "the cart (V2.0)" }).map(({ id }) => id)).toEqual(["Cart (v2.0)", "Cart"]);
});

test("limits a list and counts the items that it leaves out", () => {
  const criteria = Array.from({ length: 130 }, (_, i) => ({ ...requirement(`FR-${100 + i}`, "x"), isOwn: true }));
  const { items, left } = buildReviewChecklist(criteria, {
    description: "",
    artifacts: "",
    statements: "",
    files: [],
    lines: [],
  });
  expect([items.length, left]).toEqual([100, 30]);
});
