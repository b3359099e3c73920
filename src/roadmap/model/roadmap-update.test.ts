import fc from "fast-check";
import { expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { built, designed, feature, finished, createTestLead, type Said } from "../../../test/kit/features.ts";
import { listPlannedFeatures, type PlannedFeature } from "./dependency-graph.ts";
import { createFeatureRecord, type FeatureBlock } from "./feature/feature-record.ts";
import { applyLeadEvent } from "./lead/apply-event.ts";
import type { Lead, LeadEvent } from "./lead/lead-state.ts";
import {
  createUpdateEvents,
  findRoadmapDifferences,
  listCurrentRequests,
  pickHighestUpdateImpact,
  type RequestedFeature,
} from "./roadmap-update.ts";

/** `notes: login store`: a feature and what it depends on; `store!` is called a foundation. */
const want = (...lines: readonly string[]): RequestedFeature[] =>
  lines.map((line) => {
    const [head = "", rest = ""] = line.split(":");
    const name = head.replace("!", "") as FeatureName;
    const dependencies = rest.split(" ").filter((word) => word !== "") as FeatureName[];
    return { name, description: `${name}.`, dependencies, ...(head.endsWith("!") ? { foundation: true } : {}) };
  });
const told = (lead: Lead, wanted: readonly RequestedFeature[]): string[] =>
  findRoadmapDifferences(lead, wanted).map(({ id, impact, what }) => `${id} ${impact}: ${what}`);
const failed = (by: readonly string[], reason: FeatureBlock["reason"], isSkipped = false): Said => ({
  phase: "blocked",
  blocked_info: {
    blocked_by: by as FeatureName[],
    reason,
    blocked_at_phase: "design-generated",
    detail: "d",
    is_skipped: isSkipped,
  },
});

const some = createTestLead([feature("a"), feature("b", { wave: 2, on: ["a"] })]);
const done = createTestLead([built("a", []), built("b", [], { wave: 2, on: ["a"] })], {
  waves: new Map([
    [1, finished(1)],
    [2, finished(2)],
  ]),
});
const half = createTestLead([...done.features.values()], { waves: new Map([[1, finished(1)]]) });

test.each<[string, Lead, RequestedFeature[], string[]]>([
  ["unchanged", some, listCurrentRequests(some), []],
  [
    "dependencies in a different order",
    createTestLead([feature("c", { wave: 2, on: ["a", "b"] }), feature("a"), feature("b")]),
    want("c: b a", "b", "a"),
    [],
  ],
  [
    "a new roadmap",
    createTestLead([]),
    want("b: a", "a", "base!"),
    [
      "missing/a SCOPE_CHANGE: a is new, and goes into wave 2.",
      "missing/b SCOPE_CHANGE: b is new, and goes into wave 3.",
      "missing/base SCOPE_CHANGE: base is new, and goes into wave 1.",
    ],
  ],
  [
    "puts a new feature without dependencies into the last open wave",
    some,
    want("a", "b: a", "c"),
    ["missing/c SCOPE_CHANGE: c is new, and goes into wave 2."],
  ],
  [
    "puts a new foundation into the first open wave",
    some,
    want("a", "b: a", "c!"),
    ["missing/c SCOPE_CHANGE: c is new, and goes into wave 1."],
  ],
  [
    "puts a new feature behind finished waves into the first open one",
    half,
    want("a", "b: a", "c: a"),
    ["missing/c SCOPE_CHANGE: c is new, and goes into wave 2."],
  ],
  [
    "puts a new feature behind finished waves into a wave of its own",
    done,
    want("a", "b: a", "c", "d: a", "e: d"),
    [
      "missing/c SCOPE_CHANGE: c is new, and goes into wave 3.",
      "missing/d SCOPE_CHANGE: d is new, and goes into wave 3.",
      "missing/e SCOPE_CHANGE: e is new, and goes into wave 4.",
    ],
  ],
  [
    "a feature from outside the roadmap",
    createTestLead([feature("a"), feature("c", { wave: null })]),
    want("a", "c: a"),
    ["missing/c SCOPE_CHANGE: c is independent, and goes into wave 2."],
  ],
  [
    "a feature that may stay outside the roadmap",
    createTestLead([feature("a"), feature("c", { wave: null })]),
    want("a"),
    [],
  ],
  [
    "a feature that the plan no longer has",
    some,
    want("a"),
    ["orphaned/b SCOPE_CHANGE: b is initialized, but no longer in the plan."],
  ],
  [
    "a changed dependency whose wave is late enough",
    createTestLead([feature("a"), feature("b"), feature("c", { wave: 2, on: ["a"] })]),
    want("a", "b", "c: b"),
    ["dependency-change/c SAFE: c depends on b as well and no longer depends on a."],
  ],
  [
    "a changed dependency that moves everything behind it",
    createTestLead([feature("a"), feature("b"), feature("c", { wave: 2, on: ["b"] })]),
    want("a", "b: a", "c: b"),
    [
      "dependency-change/b WAVE_REORDER: b depends on a as well, and goes from wave 1 to wave 2.",
      "wave-mismatch/c WAVE_REORDER: c comes before a feature that it depends on, and goes from wave 2 to wave 3.",
    ],
  ],
  [
    "a feature built before its dependency",
    createTestLead([feature("a"), designed("b", []), built("c", [], { wave: 2, on: ["a", "b"] })]),
    want("a", "b", "c: a b"),
    [
      "phase-regression/c SCOPE_CHANGE: c is implementation-complete, ahead of what it builds on: a (initialized), b (design-generated).",
    ],
  ],
  [
    "a feature designed before its dependency",
    createTestLead([feature("a"), designed("b", [], { wave: 2, on: ["a"] })]),
    want("a", "b: a"),
    ["phase-regression/b SAFE: b is design-generated, ahead of what it builds on: a (initialized)."],
  ],
  [
    "a feature built before a skipped one",
    createTestLead([feature("a", failed(["a"], "retries_exhausted", true)), built("b", [], { wave: 2, on: ["a"] })]),
    want("a", "b: a"),
    [],
  ],
  [
    "a new dependency that has failed",
    createTestLead([
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
    "a failed feature that is no longer a dependency",
    createTestLead([
      feature("a", failed(["a"], "retries_exhausted")),
      feature("b", { wave: 2, on: ["a"], ...failed(["a"], "upstream_failure") }),
    ]),
    want("a", "b"),
    [
      "dependency-change/b SAFE: b no longer depends on a.",
      "blocked-cascade/b SAFE: b is blocked by a, on which it does not build.",
    ],
  ],
])("lists the differences: %s", (_, lead, wanted, differences) => {
  expect(told(lead, wanted)).toEqual(differences);
});

test("rejects a circle and names its path", () => {
  expect(() => findRoadmapDifferences(some, want("a: b", "b: a"))).toThrow(
    expect.objectContaining({ code: "roadmap.cycle" }),
  );
});

test("gives the highest impact of all differences", () => {
  expect(pickHighestUpdateImpact([])).toBe("SAFE");
  expect(pickHighestUpdateImpact(findRoadmapDifferences(some, want("a", "b: a", "c")))).toBe("SCOPE_CHANGE");
  const moved = createTestLead([feature("a"), feature("b")]);
  expect(pickHighestUpdateImpact(findRoadmapDifferences(moved, want("a", "b: a")))).toBe("WAVE_REORDER");
});

const AT = "2026-11-16T08:00:00Z";
const begin = ({ name, description, dependencies }: RequestedFeature, wave: number): LeadEvent => ({
  kind: "feature-added",
  record: { ...createFeatureRecord(name, description, "en", AT), roadmap: { wave, dependencies, skipped: [] } },
});
const wanted = want("b: a c", "c", "a");
const before = createTestLead([
  feature("a"),
  feature("b", { on: ["x"], wave: 2 }),
  feature("x"),
  feature("c", { wave: null }),
]);

test("turns all differences into events in a valid order", () => {
  const later = want("d: b", "e: d c");
  expect(createUpdateEvents(before, [...later.toReversed(), ...wanted], () => true, begin)).toEqual([
    { kind: "placed", feature: "c", wave: 2, dependencies: [] },
    { kind: "placed", feature: "b", wave: 3, dependencies: ["a", "c"] },
    begin(later[0] as RequestedFeature, 4),
    begin(later[1] as RequestedFeature, 5),
    { kind: "feature-removed", feature: "x" },
  ]);
});

test("revises a built feature with a changed dependency", () => {
  const lead = createTestLead([feature("a"), built("b", [])]);
  expect(createUpdateEvents(lead, want("a", "b: a"), () => true, begin)).toEqual([
    { kind: "placed", feature: "b", wave: 2, dependencies: ["a"] },
    { kind: "revised", feature: "b", intent: "Build on a as it will be." },
  ]);
});

test("removes features that need each other one after another", () => {
  const lead = createTestLead([
    feature("a"),
    feature("b", { on: ["a"], wave: 2 }),
    feature("c", { on: ["b"], wave: 3 }),
  ]);
  expect(createUpdateEvents(lead, [], () => true, begin)).toEqual(
    ["c", "b", "a"].map((name) => ({ kind: "feature-removed", feature: name })),
  );
});

test("applies chosen differences as long as the remaining features exist", () => {
  const chosen = (...ids: string[]): string[] =>
    createUpdateEvents(before, wanted, (id) => ids.includes(id), begin).map((event) => event.kind);
  expect(chosen()).toEqual([]);
  expect(chosen("missing/c")).toEqual(["placed"]);
  expect(chosen("missing/c", "dependency-change/b")).toEqual(["placed", "placed"]);
  expect(chosen("dependency-change/b", "missing/c", "orphaned/x")).toEqual(["placed", "placed", "feature-removed"]);
  expect(() => chosen("orphaned/x")).toThrow(
    'b cannot be planned. It depends on "x", which is not a feature of the roadmap.',
  );
  expect(() => chosen("dependency-change/b")).toThrow(
    'b cannot be planned. It depends on "c", which is not a feature of the roadmap.',
  );
});

/** Any roadmap that the Lead would take, its waves not as early as they might be. */
const someLead = fc
  .array(fc.record({ later: fc.nat({ max: 2 }), on: fc.uniqueArray(fc.nat({ max: 7 })) }), { maxLength: 8 })
  .map((all) => {
    const waves: number[] = [];
    return createTestLead(
      all.map(({ later, on }, i) => {
        const earlier = on.filter((n) => n < i);
        const wave = Math.max(0, ...earlier.map((n) => waves[n] ?? 0)) + 1 + later;
        waves.push(wave);
        return feature(`f${i}`, { wave, on: earlier.map((n) => `f${n}`) });
      }),
    );
  });
const someWanted = fc.array(fc.uniqueArray(fc.nat({ max: 9 })), { maxLength: 10 }).chain((all) =>
  fc.shuffledSubarray([...all.keys()], { minLength: all.length }).map((order) => {
    // Each depends on those before it in an order of its own, so that dependencies may turn round.
    const lines = order.map((n, i) => {
      const on = (all[n] ?? []).flatMap((place) => (place < i ? [`f${order[place]}`] : []));
      return `f${n}: ${on.join(" ")}`;
    });
    return want(...lines);
  }),
);

test("reaches the requested roadmap when the Lead applies each event", () => {
  fc.assert(
    fc.property(someLead, someWanted, (start, features) => {
      let lead = start;
      for (const event of createUpdateEvents(lead, features, () => true, begin)) {
        const taken = applyLeadEvent(lead, event);
        expect(taken.applied).toMatchObject({ kind: "applied" });
        lead = taken.lead;
      }
      expect(findRoadmapDifferences(lead, features)).toEqual([]);
      const shape = (planned: readonly PlannedFeature[]): unknown =>
        Object.fromEntries(planned.map(({ name, dependencies }) => [name, dependencies.toSorted()]));
      expect(shape(listPlannedFeatures(lead.features.values()))).toEqual(shape(features));
    }),
  );
});
