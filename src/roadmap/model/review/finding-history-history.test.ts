import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { ReviewScope } from "../lead/lead-state.ts";
import {
  type ReviewFinding,
  type KnownReviewFinding,
  FINDING_SEVERITIES,
  type FindingSeverity,
  type StoredFinding,
  type StoredReview,
} from "./review-finding.ts";
import {
  collectFindingHistory,
  isRelatedBatch,
  listFixedFindings,
  raiseFindingSeverity,
  addFindingHistory,
  applyFindingWaiver,
} from "./finding-history.ts";

const finding = (severity: FindingSeverity, description: string, location = "src/login.ts"): ReviewFinding => ({
  severity,
  category: "error-handling",
  location,
  description,
  sources: ["quality"],
});

const swallowed = finding("M", "Errors of the database are swallowed");
const logged = finding("H", "The password is logged");
const reworded = finding("M", "An error of the database is swallowed silently", "src/login.ts:40");

test("what was not known is new", () => {
  expect(addFindingHistory([swallowed], [], [])).toEqual([{ id: "F1", ...swallowed, seen: "new" }]);
});

test("what was open is tracked, in its words of now", () => {
  expect(addFindingHistory([reworded], [swallowed], [])).toEqual([{ id: "F1", ...reworded, seen: "tracked" }]);
});

test("what was mended and is there again is a regression, one severity graver", () => {
  expect(addFindingHistory([reworded], [], [swallowed])).toEqual([
    { id: "F1", ...reworded, severity: "H", seen: "regression" },
  ]);
});

test("a regression that was not mended stays graver", () => {
  const first = addFindingHistory([swallowed], [], [swallowed]);
  expect(addFindingHistory([swallowed], first, [swallowed])).toEqual([
    { id: "F1", ...swallowed, severity: "H", seen: "tracked" },
  ]);
});

test.each<[FindingSeverity, FindingSeverity]>([
  ["C", "C"],
  ["H", "C"],
  ["M", "H"],
  ["L", "M"],
])("%s is raised to %s", (severity, higher) => {
  expect(raiseFindingSeverity(severity)).toBe(higher);
});

test("the gravest come first and ids count on", () => {
  const told = addFindingHistory([finding("L", "c"), finding("C", "b"), finding("H", "d"), finding("C", "a")], [], []);
  expect(told.map(({ id, severity, description }) => `${id} ${severity} ${description}`)).toEqual([
    "F1 C a",
    "F2 C b",
    "F3 H d",
    "F4 L c",
  ]);
});

test("what several told in the same words is one, as grave as the gravest says", () => {
  const twice = [swallowed, { ...swallowed, severity: "H" as const, sources: ["impl-consistency", "quality"] }];
  expect(addFindingHistory(twice, [], [])).toEqual([
    { id: "F1", ...swallowed, severity: "H", sources: ["impl-consistency", "quality"], seen: "new" },
  ]);
});

const waived: KnownReviewFinding = { ...swallowed, severity: "H", waived: "It is a prototype." };

test.each<[string, ReviewFinding, string | undefined]>([
  ["the same words", finding("H", "errors of the database are swallowed."), "It is a prototype."],
  ["a lesser severity", finding("L", swallowed.description), "It is a prototype."],
  ["a graver severity", finding("C", swallowed.description), undefined],
  ["words that are merely alike", reworded, undefined],
])("a waiver and %s", (_what, now, waiver) => {
  expect(addFindingHistory([now], [waived], []).map((told) => told.waived)).toEqual([waiver]);
});

test.each<[string, ReviewFinding[], ReviewFinding[]]>([
  ["is not found any more", [], [swallowed, logged]],
  ["is found in other words", [reworded], [logged]],
  ["is found elsewhere", [finding("M", swallowed.description, "src/logout.ts")], [swallowed, logged]],
  ["is all found again", [swallowed, logged], []],
])("what was open and %s", (_what, found, mended) => {
  expect(listFixedFindings([swallowed, logged], found, [])).toEqual(mended);
});

test("what the auditor took for a mistake was not mended", () => {
  const removed = [{ agent: "quality", reason: "false positive", finding: "Password is logged" }];
  expect(listFixedFindings([swallowed, logged], [], removed)).toEqual([swallowed]);
});

const texts = ["Errors are swallowed", "errors are swallowed.", "The password is logged", "login() throws", "x", ""];
const some = fc.record({
  severity: fc.constantFrom(...FINDING_SEVERITIES),
  category: fc.constantFrom("error-handling", "Error Handling", "dead-code"),
  location: fc.constantFrom("src/login.ts", "src/login.ts:4", "Spec 1.AC1"),
  description: fc.constantFrom(...texts),
  sources: fc.uniqueArray(fc.constantFrom("quality", "test"), { maxLength: 2 }),
});
const waivable = fc.oneof(
  some,
  some.map((one) => ({ ...one, waived: `Because ${one.description}` })),
);
const lists = fc.tuple(fc.array(some), fc.array(waivable), fc.array(some));

test("the order of the findings does not matter", () => {
  const order = fc.infiniteStream(fc.nat());
  fc.assert(
    fc.property(lists, order, ([found, tracked, mended], stream) => {
      const shuffled = <T>(list: readonly T[]): T[] =>
        list
          .map((item) => [stream.next().value ?? 0, item] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, item]) => item);
      expect(addFindingHistory(shuffled(found), shuffled(tracked), shuffled(mended))).toEqual(
        addFindingHistory(found, tracked, mended),
      );
    }),
  );
});

test("each finding is told once, never milder, and everything tracked is open still or mended", () => {
  fc.assert(
    fc.property(lists, ([found, tracked, mended]) => {
      const told = addFindingHistory(found, tracked, mended);
      expect(told.map(({ id }) => id)).toEqual(told.map((_one, i) => `F${i + 1}`));
      for (const one of found) {
        const same = told.filter((it) =>
          ["category", "location", "description"].every((key) => at(it, key) === at(one, key)),
        );
        expect(same).toHaveLength(1);
        expect(
          same.every(
            ({ severity }) => FINDING_SEVERITIES.indexOf(severity) <= FINDING_SEVERITIES.indexOf(one.severity),
          ),
        ).toBe(true);
      }
      const gone = listFixedFindings(tracked, told, []);
      expect(addFindingHistory(gone, told, []).every(({ seen }) => seen === "new")).toBe(true);
    }),
  );
});

test("repeating a report changes nothing", () => {
  fc.assert(
    fc.property(fc.array(some), (found) => {
      const first = addFindingHistory(found, [], []);
      const second = addFindingHistory(first, first, []);
      expect(second).toEqual(first.map((one) => ({ ...one, seen: "tracked" })));
      expect(listFixedFindings(first, second, [])).toEqual([]);
    }),
  );
});

const at = (value: object, key: string): unknown => Reflect.get(value, key);

const feature = parseFeatureName("user-login");
const batch = (name: string, more: Partial<StoredReview>): StoredReview => ({
  batch: name,
  kind: "impl",
  scope: { of: "feature", feature },
  at: "2026-08-02T10:00:00Z",
  of: "0f3a",
  verdict: "NO-GO",
  computed: "NO-GO",
  override: null,
  disposition: "NO-GO-FIXED",
  counts: { C: 0, H: 0, M: 0, L: 0 },
  inspectors: [],
  missing: [],
  findings: [],
  removed: [],
  resolved_conflicts: [],
  unresolved: [],
  spec_feedback: [],
  steering: [],
  mended: [],
  notes: [],
  ...more,
});
const stored = (told: ReviewFinding, id = "F1"): StoredFinding => ({ ...told, id, seen: "new" });
const removed = [{ agent: "quality", reason: "false positive", finding: "Password is logged" }];

test.each<[string, StoredReview[], ReviewFinding[], ReviewFinding[]]>([
  ["nothing was reviewed", [], [], []],
  ["something is open", [batch("B1", { findings: [stored(swallowed)] })], [stored(swallowed)], []],
  [
    "it was told again in other words",
    [batch("B1", { findings: [stored(swallowed)] }), batch("B2", { findings: [stored(reworded, "F4")] })],
    [stored(reworded, "F4")],
    [],
  ],
  [
    "it was mended",
    [batch("B1", { findings: [stored(swallowed), stored(logged)] }), batch("B2", { mended: [swallowed] })],
    [stored(logged)],
    [swallowed],
  ],
  [
    "it is back",
    [
      batch("B1", { findings: [stored(swallowed)] }),
      batch("B2", { mended: [swallowed] }),
      batch("B3", { findings: [stored(swallowed)] }),
    ],
    [stored(swallowed)],
    [swallowed],
  ],
  [
    "it was taken for a mistake",
    [batch("B1", { findings: [stored(swallowed), stored(logged)] }), batch("B2", { removed })],
    [stored(swallowed)],
    [],
  ],
])("what batches come to where %s", (_what, earlier, tracked, mended) => {
  expect(collectFindingHistory(earlier)).toEqual({ tracked, mended });
  expect(collectFindingHistory(earlier.toReversed())).toEqual({ tracked, mended });
});

test.each<[ReviewScope, ReviewScope, boolean]>([
  [{ of: "feature", feature }, { of: "feature", feature }, true],
  [{ of: "feature", feature, tasks: ["1.1"] }, { of: "feature", feature }, true],
  [{ of: "feature", feature: parseFeatureName("other") }, { of: "feature", feature }, false],
  [{ of: "wave", wave: 1 }, { of: "wave", wave: 2 }, true],
  [{ of: "wave", wave: 2 }, { of: "wave", wave: 2 }, true],
  [{ of: "wave", wave: 3 }, { of: "wave", wave: 2 }, false],
  [{ of: "all" }, { of: "all" }, true],
  [{ of: "all" }, { of: "wave", wave: 1 }, false],
])("a batch about %j is history of a review about %j: %s", (of, scope, is) => {
  expect(isRelatedBatch(batch("B1", { scope: of }), "impl", scope)).toBe(is);
  expect(isRelatedBatch(batch("B1", { scope: of }), "design", scope)).toBe(false);
});

test.each<[string, KnownReviewFinding, string | undefined]>([
  ["the same words", swallowed, "Only at night"],
  ["less grave than it was", { ...swallowed, severity: "L" }, "Only at night"],
  ["graver than it was", { ...swallowed, severity: "H" }, undefined],
  ["other words", reworded, undefined],
])("a waiver is for %s: %j", (_, known, reason) => {
  expect(applyFindingWaiver([known, logged], { ...swallowed, waived: "Only at night" })).toEqual([
    reason === undefined ? known : { ...known, waived: reason },
    logged,
  ]);
});
