import { expect, test } from "vitest";
import { designed, feature } from "../../../test/kit/features.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { listPlannedFeatures } from "./dependency-graph.ts";
import { findCriticalPath, formatParallelismReport } from "./roadmap-page.ts";

const many = Array.from({ length: 14 }, (_, i) => feature(`f${i + 10}`));

test.each<[string, FeatureRecord[], string[]]>([
  ["nothing", [], []],
  ["features outside the roadmap", [feature("a", { wave: null })], []],
  ["one feature", [feature("a")], ["Wave 1: 1 feature [a]: all parallel", "Critical path: 1 wave (a)"]],
  [
    "a foundation and its dependents",
    [
      feature("model"),
      feature("b", { wave: 2, on: ["model"] }),
      feature("a", { wave: 2, on: ["model"] }),
      feature("c", { wave: 3, on: ["b"] }),
    ],
    [
      "Wave 1 (foundation): 1 feature [model]: all parallel",
      "Wave 2: 2 features [a, b]: all parallel",
      "Wave 3: 1 feature [c]: all parallel",
      "Critical path: 3 waves (model → b → c)",
    ],
  ],
  [
    "features that share a file",
    [designed("b", ["x.ts"]), designed("a", ["x.ts", "y.ts"]), designed("c", ["x.ts"])],
    ["Wave 1: 3 features [a, b, c]: b waits for a (x.ts), c waits for b (x.ts)", "Critical path: 1 wave (a)"],
  ],
  [
    "many features",
    many,
    [
      "Wave 1: 14 features [f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, 2 more]: all parallel",
      "Critical path: 1 wave (f10)",
    ],
  ],
])("shows the parallelism of %s", (_, records, lines) => {
  expect(formatParallelismReport(records)).toEqual(lines);
});

test("takes the longest chain as the critical path, by name if two are equal", () => {
  const records = [
    feature("a"),
    feature("z"),
    feature("b", { on: ["z", "a"] }),
    feature("d", { on: ["b", "a"] }),
    feature("c", { on: ["b"] }),
  ];
  expect(findCriticalPath(listPlannedFeatures(records))).toEqual(["a", "b", "c"]);
  expect(findCriticalPath([])).toEqual([]);
});
