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

test("marks an unknown finding as new", () => {
  expect(addFindingHistory([swallowed], [], [])).toEqual([{ id: "F1", ...swallowed, seen: "new" }]);
});

test("marks an open finding as tracked, in its current wording", () => {
  expect(addFindingHistory([reworded], [swallowed], [])).toEqual([{ id: "F1", ...reworded, seen: "tracked" }]);
});

test("marks a fixed finding that is back as a regression, one severity higher", () => {
  expect(addFindingHistory([reworded], [], [swallowed])).toEqual([
    { id: "F1", ...reworded, severity: "H", seen: "regression" },
  ]);
});

test("keeps the higher severity of a regression that was not fixed", () => {
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
])("raises %s to %s", (severity, higher) => {
  expect(raiseFindingSeverity(severity)).toBe(higher);
});

test("lists the most severe findings first and numbers them", () => {
  const told = addFindingHistory([finding("L", "c"), finding("C", "b"), finding("H", "d"), finding("C", "a")], [], []);
  expect(told.map(({ id, severity, description }) => `${id} ${severity} ${description}`)).toEqual([
    "F1 C a",
    "F2 C b",
    "F3 H d",
    "F4 L c",
  ]);
});

test("joins findings with equal words and keeps the highest severity", () => {
  const twice = [swallowed, { ...swallowed, severity: "H" as const, sources: ["impl-consistency", "quality"] }];
  expect(addFindingHistory(twice, [], [])).toEqual([
    { id: "F1", ...swallowed, severity: "H", sources: ["impl-consistency", "quality"], seen: "new" },
  ]);
});

const waived: KnownReviewFinding = { ...swallowed, severity: "H", waived: "It is a prototype." };

test.each<[string, ReviewFinding, string | undefined]>([
  ["the same words", finding("H", "errors of the database are swallowed."), "It is a prototype."],
  ["a lower severity", finding("L", swallowed.description), "It is a prototype."],
  ["a higher severity", finding("C", swallowed.description), undefined],
  ["similar words", reworded, undefined],
])("applies a waiver to a finding with %s", (_what, now, waiver) => {
  expect(addFindingHistory([now], [waived], []).map((told) => told.waived)).toEqual([waiver]);
});

test.each<[string, ReviewFinding[], ReviewFinding[]]>([
  ["is no longer found", [], [swallowed, logged]],
  ["is found in different words", [reworded], [logged]],
  ["is found elsewhere", [finding("M", swallowed.description, "src/logout.ts")], [swallowed, logged]],
  ["is all found again", [swallowed, logged], []],
])("counts an open finding as fixed or not if it %s", (_what, found, mended) => {
  expect(listFixedFindings([swallowed, logged], found, [])).toEqual(mended);
});

test("does not count a finding as fixed that the auditor removed as a mistake", () => {
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

test("gives the same history in any order of findings", () => {
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

test("lists each finding once, never milder, and each tracked one as open or fixed", () => {
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

test("changes nothing for a repeated report", () => {
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
  disposition: "NO-GO-RETURNED",
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
  ["a finding is open", [batch("B1", { findings: [stored(swallowed)] })], [stored(swallowed)], []],
  [
    "a finding was reported again in different words",
    [batch("B1", { findings: [stored(swallowed)] }), batch("B2", { findings: [stored(reworded, "F4")] })],
    [stored(reworded, "F4")],
    [],
  ],
  [
    "a finding was fixed",
    [batch("B1", { findings: [stored(swallowed), stored(logged)] }), batch("B2", { mended: [swallowed] })],
    [stored(logged)],
    [swallowed],
  ],
  [
    "a finding is back",
    [
      batch("B1", { findings: [stored(swallowed)] }),
      batch("B2", { mended: [swallowed] }),
      batch("B3", { findings: [stored(swallowed)] }),
    ],
    [stored(swallowed)],
    [swallowed],
  ],
  [
    "a finding was removed as a mistake",
    [batch("B1", { findings: [stored(swallowed), stored(logged)] }), batch("B2", { removed })],
    [stored(swallowed)],
    [],
  ],
])("collects the history where %s", (_what, earlier, tracked, mended) => {
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
])("counts a batch about %j as history of a review about %j: %s", (of, scope, is) => {
  expect(isRelatedBatch(batch("B1", { scope: of }), "impl", scope)).toBe(is);
  expect(isRelatedBatch(batch("B1", { scope: of }), "design", scope)).toBe(false);
});

test.each<[string, KnownReviewFinding, string | undefined]>([
  ["the same words", swallowed, "Only at night"],
  ["a lower severity", { ...swallowed, severity: "L" }, "Only at night"],
  ["a higher severity", { ...swallowed, severity: "H" }, undefined],
  ["different words", reworded, undefined],
])("applies a waiver to %s: %j", (_, known, reason) => {
  expect(applyFindingWaiver([known, logged], { ...swallowed, waived: "Only at night" })).toEqual([
    reason === undefined ? known : { ...known, waived: reason },
    logged,
  ]);
});
