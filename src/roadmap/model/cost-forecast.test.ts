import fc from "fast-check";
import { expect, test } from "vitest";
import { built, designed, feature, finished, group, createTestLead, review } from "../../../test/kit/features.ts";
import { planReviewPanels, REVIEW_INSPECTORS, type RoadmapRole, ROLE_FACTS } from "./agent/agent-roles.ts";
import type { FeatureRecord, WaveRecord } from "./feature/feature-record.ts";
import { forecastRunCost } from "./cost-forecast.ts";
import type { Lead } from "./lead/lead-state.ts";

/** Runs of one review: an agent for each panel of inspectors, and the auditor. */
const [DESIGN, IMPL, DEAD] = (["design", "impl", "dead-code"] as const).map(
  (kind) => planReviewPanels(REVIEW_INSPECTORS[kind], false).length + 1,
) as [number, number, number];

const one = (): number => 1;
/** A hundred for who thinks, ten for who builds, one for who looks. */
const priced = (role: RoadmapRole): number => (role === "architect" ? 100 : role === "builder" ? 10 : 1);
const orchestration = (said: Partial<FeatureRecord["orchestration"]>): Partial<FeatureRecord> => ({
  orchestration: { ...feature("a").orchestration, ...said },
});
const passed = { reviews: { design: review("GO", "design of a"), implementation: null } };
const groups = { groups: [group("A", []), group("B", [], { status: "done" }), group("C", [])] };
/** No fix is left to it, so that the worst is what the groups leave open. */
const exhausted = orchestration({ total_count: 6 });
const tasked = orchestration({ total_count: 6, last_phase_action: "tasks-generated" });

/** A roadmap of one feature has no gates, so these are the runs of a feature alone. */
test.each<[string, FeatureRecord, Record<string, number>, [number, number]]>([
  [
    "not started",
    feature("a", exhausted),
    { architect: 1, design: DESIGN, tasks: 1, builder: 1, impl: IMPL },
    [3 + DESIGN + IMPL, 6 + DESIGN + IMPL],
  ],
  [
    "designed",
    designed("a", [], exhausted),
    { design: DESIGN, tasks: 1, builder: 1, impl: IMPL },
    [2 + DESIGN + IMPL, 5 + DESIGN + IMPL],
  ],
  [
    "reviewed",
    designed("a", [], { ...exhausted, ...passed }),
    { tasks: 1, builder: 1, impl: IMPL },
    [2 + IMPL, 5 + IMPL],
  ],
  [
    "planned, with one of three groups done",
    designed("a", [], { ...tasked, ...passed, implementation: groups }),
    { builder: 2, impl: IMPL },
    [2 + IMPL, 2 + IMPL],
  ],
  ["built and not reviewed", built("a", [], { ...tasked, ...passed }), { impl: IMPL }, [IMPL, IMPL]],
  ["accepted", built("a", []), {}, [0, 0]],
  [
    "with a design to fix",
    designed("a", [], { ...exhausted, ...passed, fix: { source: "design", batch: "B1", detail: "d", groups: [] } }),
    { architect: 1, design: DESIGN, tasks: 1, builder: 1, impl: IMPL },
    [3 + DESIGN + IMPL, 6 + DESIGN + IMPL],
  ],
  [
    "with tasks to plan again",
    designed("a", [], {
      ...tasked,
      ...passed,
      implementation: groups,
      fix: { source: "blocker", batch: null, detail: "d", groups: [] },
    }),
    { tasks: 1, builder: 3, impl: IMPL },
    [4 + IMPL, 4 + IMPL],
  ],
  [
    "with three fixes left",
    designed("a", [], { ...orchestration({ total_count: 3 }), ...passed }),
    { tasks: 1, builder: 1, impl: IMPL },
    [2 + IMPL, 5 + IMPL + 3 * (1 + DESIGN + 1 + 4 + IMPL)],
  ],
])("forecasts the runs of a feature: %s", (_, record, best, [least, most]) => {
  const { waves, runs } = forecastRunCost(createTestLead([record]), one);
  expect(runs).toEqual({ best: least, worst: most });
  const kinds = Object.entries(Object.groupBy(waves[0]?.roles ?? [], ([role]) => kindOf(role)));
  const counted = kinds.map(([kind, roles = []]) => [kind, roles.reduce((sum, [, span]) => sum + span.best, 0)]);
  expect(Object.fromEntries(counted.filter(([, sum]) => sum !== 0))).toEqual(best);
});

const kindOf = (role: RoadmapRole): string => ROLE_FACTS[role].review ?? (role === "task-generator" ? "tasks" : role);

const gate = (said: Partial<WaveRecord>): Lead["waves"] => new Map([[1, { ...finished(1), ...said }]]);
const pair = [built("a", []), built("b", [])];

test.each<[string, Lead, [number, number]]>([
  ["not started", createTestLead(pair), [IMPL + DEAD, 3 * IMPL + 3 * DEAD + 2 * 2 * 2 + 2 * 6 * (3 + DESIGN + IMPL)]],
  [
    "cross-check rejected twice",
    createTestLead(pair, { waves: gate({ step: "cross-check", tries: { cross_check: 2, dead_code: 0 } }) }),
    [IMPL + DEAD, IMPL + 3 * DEAD + 2 * 2],
  ],
  ["with dead code", createTestLead(pair, { waves: gate({ step: "dead-code" }) }), [DEAD, 3 * DEAD + 2 * 2]],
  ["commit", createTestLead(pair, { waves: gate({ step: "commit" }) }), [0, 0]],
  ["done", createTestLead(pair, { waves: gate({}) }), [0, 0]],
  [
    "with blocked features alone",
    createTestLead(["a", "b"].map((name) => feature(name, { phase: "blocked" }))),
    [0, 0],
  ],
])("forecasts the runs of a gate: %s", (_, lead, [best, worst]) => {
  expect(forecastRunCost(lead, one).runs).toEqual({ best, worst });
});

const shop = createTestLead([
  built("store", []),
  designed("login", [], { wave: 2, on: ["store"], ...exhausted }),
  feature("search", { wave: 2, phase: "blocked" }),
  feature("share", { wave: 3, on: ["login"], ...exhausted }),
  feature("colours", { wave: null }),
]);

const range = (best: number, worst: number) => ({ best, worst });
/** Login needs a review, tasks, one to four Builders and a review; then the gate. It is alone, so nothing is cross-checked. */
const second = range(2 + DESIGN + IMPL + DEAD, 15 + DESIGN + IMPL + 3 * DEAD);
/** Share needs an Architect as well. */
const third = range(3 + DESIGN + IMPL + DEAD, 24 + DESIGN + IMPL + 3 * DEAD);
/** A Builder costs 9 more than who looks, an Architect 99. */
const secondTokens = range(second.best + 9, second.worst + 14 * 9);
const thirdTokens = range(third.best + 9 + 99, third.worst + 22 * 9 + 99);
const allTokens = range(secondTokens.best + thirdTokens.best, secondTokens.worst + thirdTokens.worst);

test("forecasts wave by wave and counts features without a plan", () => {
  const { waves, unplanned, ...totals } = forecastRunCost(
    createTestLead([...shop.features.values()], { waves: gate({}) }),
    priced,
  );
  expect(waves.map(({ wave, features, runs, tokens }) => ({ wave, features, runs, tokens }))).toEqual([
    { wave: 1, features: 0, runs: { best: 0, worst: 0 }, tokens: { best: 0, worst: 0 } },
    // The gate's worst case has Builders mend what any wave up to it did: store and login.
    { wave: 2, features: 1, runs: second, tokens: secondTokens },
    { wave: 3, features: 1, runs: third, tokens: thirdTokens },
  ]);
  expect(unplanned).toEqual(["login", "share"]);
  const runs = range(second.best + third.best, second.worst + third.worst);
  expect(totals).toEqual({ runs, tokens: allTokens, cap: null });
});

test.each([
  [10_000, 0, { best: null, worst: null }],
  [allTokens.worst - 1, 0, { best: null, worst: 3 }],
  [allTokens.worst, 0, { best: null, worst: null }],
  [allTokens.best - 1, 0, { best: 3, worst: 2 }],
  [allTokens.best, 0, { best: null, worst: 2 }],
  [allTokens.best, thirdTokens.best + 1, { best: 2, worst: 2 }],
  [100, 100, { best: 2, worst: 2 }],
])("forecasts when a cap of %i, with %i spent, is reached: %j", (cap, spent, expected) => {
  const lead = createTestLead([...shop.features.values()], { waves: gate({}), run: { ...shop.run, cap, spent } });
  expect(forecastRunCost(lead, priced).cap).toEqual({ tokens: cap, ...expected });
});

test("tries a cap before it is set", () => {
  expect(forecastRunCost(shop, priced, 1).cap).toEqual({ tokens: 1, best: 1, worst: 1 });
});

const someRecord = fc
  .record({
    wave: fc.integer({ min: 1, max: 3 }),
    how: fc.constantFrom("initialized", "designed", "built", "blocked"),
    total: fc.nat({ max: 6 }),
    n: fc.nat({ max: 5 }),
  })
  .map(({ wave, how, total, n }) => {
    const implementation = { groups: Array.from({ length: n }, (_, i) => group(`G${i}`, [])) };
    const said = { wave, implementation, ...orchestration({ total_count: total }) };
    if (how === "designed") return designed("x", [], said);
    if (how === "built") return built("x", [], said);
    return feature("x", { ...said, phase: how === "blocked" ? "blocked" : "initialized" });
  });

test("never puts the best case above the worst, and the waves add up to the total", () => {
  fc.assert(
    fc.property(fc.array(someRecord, { maxLength: 8 }), (records) => {
      const named = records.map((record, i) => ({ ...record, feature_name: feature(`f${i}`).feature_name }));
      const { waves, runs, tokens } = forecastRunCost(createTestLead(named), priced);
      const spans = waves.flatMap((wave) => [wave.runs, wave.tokens, ...wave.roles.values()]);
      expect(spans.filter(({ best, worst }) => best > worst || best < 0)).toEqual([]);
      const total = (of: "runs" | "tokens", which: "best" | "worst"): number =>
        waves.reduce((sum, wave) => sum + wave[of][which], 0);
      expect(runs).toEqual({ best: total("runs", "best"), worst: total("runs", "worst") });
      expect(tokens).toEqual({ best: total("tokens", "best"), worst: total("tokens", "worst") });
    }),
  );
});
