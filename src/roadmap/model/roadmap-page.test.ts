import fc from "fast-check";
import { expect, test } from "vitest";
import { built, designed, feature, finished, createTestLead } from "../../../test/kit/features.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { formatRoadmapPage } from "./roadmap-page.ts";

const blocked = (by: string, isSkipped = false): Partial<FeatureRecord> => ({
  phase: "blocked",
  blocked_info: {
    blocked_by: [by] as FeatureName[],
    reason: by === "search" ? "retries_exhausted" : "upstream_failure",
    blocked_at_phase: "design-generated",
    detail: "3 NO-GOs: index | words\nare lost",
    is_skipped: isSkipped,
  },
});

const shop = [
  built("data-model", ["src/model.ts"], { version: "1.1.0" }),
  built("error-pages", ["src/errors.ts"]),
  designed("end", ["src/end.ts", "src/list.ts"], { wave: 2, on: ["data-model"], description: "Ends *all* of a | b" }),
  designed("list", ["src/list.ts"], {
    wave: 2,
    on: ["data-model", "error-pages"],
    description: "<b>[x](y)</b>\n`z` \\",
  }),
  feature("search", { wave: 2, on: ["error-pages"], ...blocked("search") }),
  feature("suggest", { wave: 3, on: ["search", "list"], ...blocked("search") }),
  feature("colours", { wave: null, description: "Other colours" }),
];

test("shows the page of a roadmap", async () => {
  const lead = createTestLead(shop, { waves: new Map([[1, finished(1)]]) });
  await expect(formatRoadmapPage(lead)).toMatchFileSnapshot("../../../test/roadmap/pages/shop.md");
});

test("shows the page of one feature", async () => {
  await expect(formatRoadmapPage(createTestLead([feature("notes")]))).toMatchFileSnapshot(
    "../../../test/roadmap/pages/single.md",
  );
});

test("shows the page of an empty roadmap", () => {
  expect(formatRoadmapPage(createTestLead([]))).toBe(
    `# Roadmap

Tenon generates this page from the records in \`sdd/features\` and \`sdd/waves\` each time one of them changes.
Tenon never reads this page, so edits by hand are lost.

- Status: empty
- Features: 0, implemented: 0, blocked: 0
- Waves: 0, finished: 0
`,
  );
});

const status = (lead: Parameters<typeof formatRoadmapPage>[0]): string | undefined =>
  /^- Status: (.*)$/m.exec(formatRoadmapPage(lead))?.[1];

test.each([
  ["planned", [feature("a"), feature("b")], false],
  ["under way", [designed("a", []), feature("b")], false],
  ["under way", [built("a", []), built("b", [])], false],
  ["complete", [built("a", []), built("b", [])], true],
  ["complete", [built("a", [])], false],
  ["complete", [built("a", []), feature("b", blocked("b", true))], true],
  ["blocked", [built("a", []), feature("b", blocked("b"))], true],
  ["under way", [feature("a"), feature("b", blocked("b"))], false],
])("shows the status %s: %#", (expected, records, isFinished) => {
  expect(status(createTestLead(records, isFinished ? { waves: new Map([[1, finished(1)]]) } : {}))).toBe(expected);
});

test("lists more dependencies than Mermaid draws", () => {
  const records = [
    ...Array.from({ length: 30 }, (_, i) => feature(`a${i}`)),
    ...Array.from({ length: 20 }, (_, i) =>
      feature(`b${i}`, { wave: 2, on: Array.from({ length: 30 }, (_unused, n) => `a${n}`) }),
    ),
  ];
  const page = formatRoadmapPage(createTestLead(records));
  expect(page.includes("mermaid")).toBe(false);
  expect(/^- b7: a0, a1, a10, .*$/m.test(page)).toBe(true);
});

test("shows circular and dangling dependencies that a merge left behind", () => {
  const circle = [feature("a", { on: ["b"] }), feature("b", { on: ["a"] }), feature("c", { on: ["gone"] })];
  expect(formatRoadmapPage(createTestLead(circle)).match(/^Critical path: .*$/m)?.[0]).toBe(
    "Critical path: 1 wave (c)",
  );
});

test("shows the same page in any order of records and during any run", () => {
  const page = formatRoadmapPage(createTestLead(shop));
  fc.assert(
    fc.property(fc.shuffledSubarray(shop, { minLength: shop.length }), fc.boolean(), (records, isOn) => {
      expect(formatRoadmapPage(createTestLead(records, { run: { ...createTestLead([]).run, isOn, spent: 7 } }))).toBe(
        page,
      );
    }),
  );
});

/** The cells of a row, as a reader of markdown takes them: a backslash keeps the sign after it from meaning anything. */
const cells = (row: string): string[] =>
  [...row.matchAll(/\|((?:\\.|[^|\\])*)(?=\|)/g)].map((match) => (match[1] ?? "").trim().replaceAll(/\\(.)/g, "$1"));

test("keeps any text of a user in its cell", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "|", "\\", "\n", "<", "`", "[", " ", "*") }), (description) => {
      const page = formatRoadmapPage(createTestLead([feature("a", { description })]));
      const rows = page.split("\n").filter((line) => /^\| a +\|/.test(line));
      expect(rows.map(cells)).toEqual([["a", description.replaceAll(/\s+/g, " ").trim(), "initialized", "1.0.0"]]);
    }),
  );
});
