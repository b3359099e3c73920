import fc from "fast-check";
import { expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  mapFeatureDependents,
  collectDownstreamFeatures,
  listDownstreamFeatures,
  findFoundationFeatures,
  sortFeaturesByWave,
  type PlannedFeature,
  assignFeatureWaves,
} from "./dependency-graph.ts";

/** `notes: login store`: a feature and what it depends on; `store!` is called a foundation. */
function plan(...lines: readonly string[]): PlannedFeature[] {
  return lines.map((line) => {
    const [head = "", rest = ""] = line.split(":");
    const name = head.replace("!", "") as FeatureName;
    const dependencies = rest.split(" ").filter((word) => word !== "") as FeatureName[];
    return { name, dependencies, ...(head.endsWith("!") ? { foundation: true } : {}) };
  });
}

/** `1: a b, 2: c`, each wave in the order of names. */
function shown(waves: ReadonlyMap<string, number>): string {
  const byWave = Map.groupBy([...waves.keys()].toSorted(), (name) => waves.get(name) ?? 0);
  return [...byWave]
    .toSorted(([a], [b]) => a - b)
    .map(([wave, names]) => `${wave}: ${names.join(" ")}`)
    .join(", ");
}

test.each([
  ["nothing", [], ""],
  ["features without dependencies", ["b", "a"], "1: a b"],
  ["a chain in any order of input", ["c: b", "b: a", "a"], "1: a, 2: b, 3: c"],
  ["a diamond", ["a", "b: a", "c: a", "d: b c"], "1: a, 2: b c, 3: d"],
  ["a short path and a long one", ["a", "b: a", "c: b a"], "1: a, 2: b, 3: c"],
  ["a repeated dependency", ["a", "b: a a"], "1: a, 2: b"],
  ["a probable foundation beside others", ["model", "b: model", "c: model", "d"], "1: d model, 2: b c"],
  ["a declared foundation first", ["logging!", "a", "b: a", "c: logging"], "1: logging, 2: a c, 3: b"],
  ["a foundation after its own dependencies", ["a", "b", "base!: a", "c: a"], "1: a, 2: base, 3: b c"],
  ["two foundations", ["a!", "b!: a", "c", "d!"], "1: a d, 2: b, 3: c"],
  ["foundations alone", ["a!", "b!"], "1: a b"],
])("assigns waves: %s", (_, lines, waves) => {
  expect(shown(assignFeatureWaves(plan(...lines)))).toBe(waves);
});

test.each([
  ["itself", ["a: a"], "a → a", "a on a"],
  ["each other", ["a: b", "b: a"], "a → b → a", "b on a"],
  ["each other, starting with the first name", ["z", "c: a", "b: c z", "a: b"], "a → b → c → a", "c on a"],
  ["each other behind other features", ["a: b", "b: c", "c: d", "d: c b"], "b → c → d → b", "d on b"],
  [
    "many",
    Array.from({ length: 14 }, (_, i) => `f${i + 10}: f${((i + 1) % 14) + 10}`),
    "f10 → f11 → f12 → f13 → f14 → f15 → … → f20 → f21 → f22 → f23 → f10",
    "f23 on f10",
  ],
])("rejects features that wait for %s", (_, lines, path, edge) => {
  expect(() => assignFeatureWaves(plan(...lines))).toThrow(
    expect.objectContaining({
      code: "roadmap.cycle",
      message: `The features cannot be put in an order. They wait for each other: ${path}.`,
      fixes: [`Remove one of these dependencies, such as the one of ${edge}.`],
    }),
  );
});

test.each([
  [
    "a dependency outside the plan",
    ["a: b"],
    "roadmap.unknown-dependency",
    'a cannot be planned. It depends on "b", which is not a feature of the roadmap.',
    "Plan that feature too, or remove it from the dependencies of a.",
  ],
  [
    "a repeated feature",
    ["a", "b", "a: b"],
    "roadmap.duplicate",
    "a cannot be planned. It is named twice.",
    "Name a once, with all its dependencies.",
  ],
])("rejects %s", (_, lines, code, message, fix) => {
  expect(() => sortFeaturesByWave(plan(...lines))).toThrow(expect.objectContaining({ code, message, fixes: [fix] }));
});

test.each([
  ["one with such a name", plan("a!", "b"), ["a"]],
  ["one with such a name and two dependents", plan("user-model", "b: user-model", "c: user-model"), ["user-model"]],
  [
    "one with such a description",
    [{ ...plan("store")[0], description: "Shared tables" } as PlannedFeature, ...plan("b: store", "c: store")],
    ["store"],
  ],
  ["none with a single dependent", plan("user-model", "b: user-model"), []],
  ["none with a dependency", plan("a", "model: a", "b: model", "c: model"), []],
  ["none whose word only starts the same way", plan("modelling", "b: modelling", "c: modelling"), []],
])("finds foundations: %s", (_, features, names) => {
  expect([...findFoundationFeatures(features)]).toEqual(names);
});

const family = plan("a", "b: a", "c: b", "d: a c", "e");

test("maps direct dependents and lists all features downstream", () => {
  expect(mapFeatureDependents(family).get("a" as FeatureName)).toEqual(["b", "d"]);
  expect(listDownstreamFeatures(family, "a" as FeatureName)).toEqual(["b", "d", "c"]);
  expect(listDownstreamFeatures(family, "e" as FeatureName)).toEqual([]);
  expect(collectDownstreamFeatures(mapFeatureDependents(family), ["a", "c"] as FeatureName[])).toEqual(["b", "d"]);
  expect(mapFeatureDependents(family).get("nobody" as FeatureName)).toBe(undefined);
});

test("sorts by wave, then by name", () => {
  expect(sortFeaturesByWave(plan("z", "b: z", "a: z", "y: a"))).toEqual(["z", "a", "b", "y"]);
});

const name = (n: number): FeatureName => `f${n}` as FeatureName;
/** Any graph at all, or one in which each feature depends only on later ones. */
const graph = (isAcyclic: boolean): fc.Arbitrary<PlannedFeature[]> =>
  fc.integer({ min: 1, max: 14 }).chain((size) =>
    fc
      .array(fc.record({ on: fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 4 }), foundation: fc.boolean() }), {
        minLength: size,
        maxLength: size,
      })
      .map((features) =>
        features.map(({ on, foundation }, i) => ({
          name: name(i),
          dependencies: on.filter((n) => !isAcyclic || n > i).map(name),
          foundation,
        })),
      ),
  );

test("assigns each feature the earliest wave after its dependencies, and leaves no wave empty", () => {
  fc.assert(
    fc.property(graph(true), (features) => {
      const waves = assignFeatureWaves(features);
      expect(waves.size).toBe(features.length);
      const plain = assignFeatureWaves(features.map(({ name: own, dependencies }) => ({ name: own, dependencies })));
      for (const { name: own, dependencies } of features) {
        const latest = Math.max(0, ...dependencies.map((on) => waves.get(on) ?? 0));
        expect(waves.get(own)).toBeGreaterThan(latest);
        expect(plain.get(own)).toBe(Math.max(0, ...dependencies.map((on) => plain.get(on) ?? 0)) + 1);
      }
      expect(new Set(waves.values()).size).toBe(Math.max(...waves.values()));
    }),
  );
});

test("puts only a foundation's own dependencies beside or before it", () => {
  fc.assert(
    fc.property(graph(true), (features) => {
      const waves = assignFeatureWaves(features);
      const declared = features.filter(({ foundation }) => foundation).map((feature) => feature.name);
      const last = Math.max(0, ...declared.map((own) => waves.get(own) ?? 0));
      const dependents = mapFeatureDependents(features);
      for (const [own, wave] of waves) {
        const isNeeded =
          declared.includes(own) || collectDownstreamFeatures(dependents, [own]).some((n) => declared.includes(n));
        expect(wave <= last).toBe(isNeeded);
      }
    }),
  );
});

/** Takes away what waits for nothing until only circles and what waits for them are left. */
function isCircular(features: readonly PlannedFeature[]): boolean {
  const left = new Map(features.map((feature) => [feature.name, feature]));
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const feature of left.values()) {
      if (!feature.dependencies.some((on) => left.has(on))) left.delete(feature.name);
    }
  }
  return left.size > 0;
}

test("rejects exactly the circular graphs, and shows a path of real dependencies", () => {
  fc.assert(
    fc.property(graph(false), (features) => {
      const told = refusal(features);
      expect(told !== null).toBe(isCircular(features));
      const path = [...(told ?? "").matchAll(/f\d+/g)].flat() as FeatureName[];
      if (told?.includes("…")) return;
      const steps = path.slice(1).map((on, i) => features.find((f) => f.name === path[i])?.dependencies.includes(on));
      expect(steps).toEqual(steps.map(() => true));
      expect(path.at(-1)).toBe(path[0]);
    }),
  );
});

function refusal(features: readonly PlannedFeature[]): string | null {
  try {
    assignFeatureWaves(features);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test("lists as downstream exactly the features reachable through dependents", () => {
  fc.assert(
    fc.property(graph(false), (features) => {
      const dependents = mapFeatureDependents(features);
      for (const { name: own } of features) {
        const down = new Set(listDownstreamFeatures(features, own));
        expect(down.has(own)).toBe(false);
        const around = new Set([own, ...down]);
        const next = new Set([...around].flatMap((n) => dependents.get(n) ?? []).filter((n) => n !== own));
        expect(next).toEqual(down);
      }
    }),
  );
});

test("assigns the same waves in any order of input", () => {
  const shuffled = graph(true).chain((features) =>
    fc.tuple(fc.constant(features), fc.shuffledSubarray(features, { minLength: features.length })),
  );
  fc.assert(
    fc.property(shuffled, ([features, others]) => {
      expect(assignFeatureWaves(others)).toEqual(assignFeatureWaves(features));
      expect(sortFeaturesByWave(others)).toEqual(sortFeaturesByWave(features));
    }),
  );
});
