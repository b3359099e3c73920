import fc from "fast-check";
import { expect, test } from "vitest";
import { built, designed, feature, finished, leadOf, type Said } from "../../../test/kit/features.ts";
import type { FeatureName } from "../feature/name.ts";
import type { BlockedInfo } from "../feature/record.ts";
import type { Lead } from "./lead/state.ts";
import { impactOfAll, roadmapDifferences, updateOf, type Wanted, wantedNow } from "./update.ts";

/** `notes: login store`: a feature and what it depends on; `store!` is called a foundation. */
const want = (...lines: readonly string[]): Wanted[] =>
  lines.map((line) => {
    const [head = "", rest = ""] = line.split(":");
    const name = head.replace("!", "") as FeatureName;
    const dependencies = rest.split(" ").filter((word) => word !== "") as FeatureName[];
    return { name, description: `${name}.`, dependencies, ...(head.endsWith("!") ? { foundation: true } : {}) };
  });
const told = (lead: Lead, wanted: readonly Wanted[]): string[] =>
  roadmapDifferences(lead, wanted).map(({ id, impact, what }) => `${id} ${impact}: ${what}`);
const failed = (by: readonly string[], reason: BlockedInfo["reason"], isSkipped = false): Said => ({
  phase: "blocked",
  blocked_info: {
    blocked_by: by as FeatureName[],
    reason,
    blocked_at_phase: "design-generated",
    detail: "d",
    is_skipped: isSkipped,
  },
});

const some = leadOf([feature("a"), feature("b", { wave: 2, on: ["a"] })]);
const done = leadOf([built("a", []), built("b", [], { wave: 2, on: ["a"] })], {
  waves: new Map([
    [1, finished(1)],
    [2, finished(2)],
  ]),
});
const half = leadOf([...done.features.values()], { waves: new Map([[1, finished(1)]]) });

test.each<[string, Lead, Wanted[], string[]]>([
  ["as it is", some, wantedNow(some), []],
  [
    "dependencies in another order",
    leadOf([feature("c", { wave: 2, on: ["a", "b"] }), feature("a"), feature("b")]),
    want("c: b a", "b", "a"),
    [],
  ],
  [
    "a roadmap that is new",
    leadOf([]),
    want("b: a", "a", "base!"),
    [
      "missing/a SCOPE_CHANGE: a is new, and goes into wave 2.",
      "missing/b SCOPE_CHANGE: b is new, and goes into wave 3.",
      "missing/base SCOPE_CHANGE: base is new, and goes into wave 1.",
    ],
  ],
  [
    "new and without dependencies: into the last open wave",
    some,
    want("a", "b: a", "c"),
    ["missing/c SCOPE_CHANGE: c is new, and goes into wave 2."],
  ],
  [
    "new and a foundation: into the first open wave",
    some,
    want("a", "b: a", "c!"),
    ["missing/c SCOPE_CHANGE: c is new, and goes into wave 1."],
  ],
  [
    "new, and its dependencies are in waves that are finished: into the first open one",
    half,
    want("a", "b: a", "c: a"),
    ["missing/c SCOPE_CHANGE: c is new, and goes into wave 2."],
  ],
  [
    "new, and all waves are finished",
    done,
    want("a", "b: a", "c", "d: a", "e: d"),
    [
      "missing/c SCOPE_CHANGE: c is new, and goes into wave 3.",
      "missing/d SCOPE_CHANGE: d is new, and goes into wave 3.",
      "missing/e SCOPE_CHANGE: e is new, and goes into wave 4.",
    ],
  ],
  [
    "one that stood alone",
    leadOf([feature("a"), feature("c", { wave: null })]),
    want("a", "c: a"),
    ["missing/c SCOPE_CHANGE: c stands alone, and goes into wave 2."],
  ],
  ["one that stands alone and may go on so", leadOf([feature("a"), feature("c", { wave: null })]), want("a"), []],
  ["not wanted any more", some, want("a"), ["orphaned/b SCOPE_CHANGE: b is initialized, and not wanted any more."]],
  [
    "another dependency, and its place is late enough",
    leadOf([feature("a"), feature("b"), feature("c", { wave: 2, on: ["a"] })]),
    want("a", "b", "c: b"),
    ["dependency-change/c SAFE: c depends on b as well and does not depend on a any more."],
  ],
  [
    "another dependency, and everybody behind it moves",
    leadOf([feature("a"), feature("b"), feature("c", { wave: 2, on: ["b"] })]),
    want("a", "b: a", "c: b"),
    [
      "dependency-change/b WAVE_REORDER: b depends on a as well, and goes from wave 1 to wave 2.",
      "wave-mismatch/c WAVE_REORDER: c is not after all it depends on, and goes from wave 2 to wave 3.",
    ],
  ],
  [
    "built before what it builds on",
    leadOf([feature("a"), designed("b", []), built("c", [], { wave: 2, on: ["a", "b"] })]),
    want("a", "b", "c: a b"),
    [
      "phase-regression/c SCOPE_CHANGE: c is implementation-complete, ahead of what it builds on: a (initialized), b (design-generated).",
    ],
  ],
  [
    "designed before what it builds on",
    leadOf([feature("a"), designed("b", [], { wave: 2, on: ["a"] })]),
    want("a", "b: a"),
    ["phase-regression/b SAFE: b is design-generated, ahead of what it builds on: a (initialized)."],
  ],
  [
    "built before what was let go",
    leadOf([feature("a", failed(["a"], "retries_exhausted", true)), built("b", [], { wave: 2, on: ["a"] })]),
    want("a", "b: a"),
    [],
  ],
  [
    "what it builds on by now has failed",
    leadOf([
      feature("a", failed(["a"], "retries_exhausted")),
      feature("b", { wave: 2 }),
      feature("c", { wave: 3, on: ["b"] }),
    ]),
    want("a", "b: a", "c: b"),
    [
      "dependency-change/b SAFE: b depends on a as well.",
      "blocked-cascade/b SAFE: b is held up by a, which failed.",
      "blocked-cascade/c SAFE: c is held up by a, which failed.",
    ],
  ],
  [
    "what failed is not what it builds on any more",
    leadOf([
      feature("a", failed(["a"], "retries_exhausted")),
      feature("b", { wave: 2, on: ["a"], ...failed(["a"], "upstream_failure") }),
    ]),
    want("a", "b"),
    [
      "dependency-change/b SAFE: b does not depend on a any more.",
      "blocked-cascade/b SAFE: b is blocked by a, on which it does not build.",
    ],
  ],
])("%s", (_, lead, wanted, differences) => {
  expect(told(lead, wanted)).toEqual(differences);
});

test("a circle is refused with its path", () => {
  expect(() => roadmapDifferences(some, want("a: b", "b: a"))).toThrow(
    expect.objectContaining({ code: "roadmap.cycle" }),
  );
});

test("the gravest impact is that of all", () => {
  expect(impactOfAll([])).toBe("SAFE");
  expect(impactOfAll(roadmapDifferences(some, want("a", "b: a", "c")))).toBe("SCOPE_CHANGE");
  const moved = leadOf([feature("a"), feature("b")]);
  expect(impactOfAll(roadmapDifferences(moved, want("a", "b: a")))).toBe("WAVE_REORDER");
});

const wanted = want("b: a c", "c", "a");
const before = leadOf([
  feature("a", { on: [] }),
  feature("b", { on: ["x"], wave: 2 }),
  feature("x"),
  feature("c", { wave: null }),
]);

test("all that differs comes to records to begin and events", () => {
  const [d] = want("d: b");
  const update = updateOf(before, [...wanted, d as Wanted], () => true);
  expect(update).toEqual({
    adds: [{ ...d, wave: 4 }],
    events: [
      { kind: "placed", feature: "c", wave: 2, dependencies: [] },
      { kind: "placed", feature: "b", wave: 3, dependencies: ["a", "c"] },
      { kind: "feature-removed", feature: "x" },
    ],
  });
});

test("what is built is made anew when it has to build on something else", () => {
  const lead = leadOf([feature("a"), built("b", [])]);
  expect(updateOf(lead, want("a", "b: a"), () => true).events).toEqual([
    { kind: "placed", feature: "b", wave: 2, dependencies: ["a"] },
    { kind: "revised", feature: "b", intent: "Build on a as it will be." },
  ]);
});

test("a part of it is taken as long as the features that are left know each other", () => {
  const chosen = (...ids: string[]): string[] =>
    updateOf(before, wanted, (id) => ids.includes(id)).events.map((event) => event.kind);
  expect(chosen()).toEqual([]);
  expect(chosen("missing/c")).toEqual(["placed"]);
  expect(chosen("missing/c", "dependency-change/b")).toEqual(["placed", "placed"]);
  expect(chosen("dependency-change/b", "missing/c", "orphaned/x")).toEqual(["placed", "placed", "feature-removed"]);
  expect(() => chosen("orphaned/x")).toThrow(
    'b cannot be planned. It depends on "x", which is no feature of the roadmap.',
  );
  expect(() => chosen("dependency-change/b")).toThrow(
    'b cannot be planned. It depends on "c", which is no feature of the roadmap.',
  );
});

const someLead = fc
  .array(fc.record({ wave: fc.integer({ min: 1, max: 3 }), on: fc.uniqueArray(fc.nat({ max: 7 })) }), { maxLength: 8 })
  .map((all) =>
    leadOf(all.map(({ wave, on }, i) => feature(`f${i}`, { wave, on: on.filter((n) => n < i).map((n) => `f${n}`) }))),
  );
const someWanted = fc.array(fc.uniqueArray(fc.nat({ max: 9 })), { maxLength: 10 }).map((all) =>
  want(
    ...all.map(
      (on, i) =>
        `f${i}: ${on
          .filter((n) => n < i)
          .map((n) => `f${n}`)
          .join(" ")}`,
    ),
  ),
);

test("once all differences are made up for, the roadmap is as wanted and every wave after those it needs", () => {
  fc.assert(
    fc.property(someLead, someWanted, (lead, features) => {
      const { adds, events } = updateOf(lead, features, () => true);
      const places = new Map([...lead.features.values()].map((record) => [record.feature_name, record.roadmap]));
      for (const { name, wave, dependencies } of adds) places.set(name, { wave, dependencies, skipped: [] });
      for (const event of events) {
        if (event.kind === "feature-removed") places.delete(event.feature);
        if (event.kind === "placed") places.set(event.feature, { ...event, skipped: [] });
      }
      const shape = (all: Iterable<[FeatureName, readonly FeatureName[]]>): Record<string, string[]> =>
        Object.fromEntries(Array.from(all, ([name, on]) => [name, on.toSorted()]));
      expect(shape([...places].map(([name, place]) => [name, place?.dependencies ?? []]))).toEqual(
        shape(features.map(({ name, dependencies }) => [name, dependencies])),
      );
      for (const place of places.values()) {
        const latest = Math.max(0, ...(place?.dependencies ?? []).map((on) => places.get(on)?.wave ?? 0));
        expect(place?.wave).toBeGreaterThan(latest);
      }
    }),
  );
});
