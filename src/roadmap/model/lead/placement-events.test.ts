import { expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { feature } from "../../../../test/kit/features.ts";
import { Workshop } from "../../../../test/kit/lead.ts";
import { analyzeWaveParallelism } from "../roadmap-page.ts";
import { listCurrentRequests } from "../roadmap-update.ts";
import type { LeadEvent, LeadEventResult, ReviewScope } from "./lead-state.ts";

const problemsOf = (applied: LeadEventResult): string[] =>
  applied.kind === "refused" ? applied.problems.map(({ problem }) => problem) : [applied.kind];

const place = (feature_: string, wave: number, ...dependencies: readonly string[]): LeadEvent =>
  ({ kind: "placed", feature: feature_, wave, dependencies }) as never;

/** `a`, `b` on it and `c` on that, with one that stands alone. */
const roadmap = (): Workshop =>
  new Workshop().add(
    feature("a"),
    feature("b", { wave: 2, on: ["a"] }),
    feature("c", { wave: 3, on: ["b"] }),
    feature("alone", { wave: null }),
  );

test.each<[string, LeadEvent, string]>([
  [
    "that exists",
    { kind: "feature-added", record: feature("a") },
    "a exists already. Choose another name, or redesign it.",
  ],
  [
    "with the name of a wave",
    { kind: "feature-added", record: feature("wave-2") },
    "wave-2 cannot be a feature: reports would take it for something else.",
  ],
  [
    "with the name for everything",
    { kind: "feature-added", record: feature("all") },
    "all cannot be a feature: reports would take it for something else.",
  ],
  [
    "with the name of the run",
    { kind: "feature-added", record: feature("run") },
    "run cannot be a feature: reports would take it for something else.",
  ],
  [
    "on an unknown feature",
    { kind: "feature-added", record: feature("d", { on: ["x"] }) },
    "d depends on x, which is not on the roadmap. Place x first.",
  ],
  [
    "on a feature outside the roadmap",
    { kind: "feature-added", record: feature("d", { on: ["alone"] }) },
    "d depends on alone, which is not on the roadmap. Place alone first.",
  ],
  [
    "before its dependency",
    { kind: "feature-added", record: feature("d", { wave: 2, on: ["c"] }) },
    "d depends on c, which is in wave 3. Put d in that wave or a later one.",
  ],
  ["in wave 0", place("a", 0), "a cannot be in wave 0. Waves are 1, 2 and so on."],
  ["in half a wave", place("a", 1.5), "a cannot be in wave 1.5. Waves are 1, 2 and so on."],
  ["on itself", place("a", 1, "a"), "a cannot depend on itself."],
  ["in a circle", place("a", 3, "c"), "a would wait for itself: a → c → b → a. Remove one of these dependencies."],
  ["that does not exist", place("x", 1), "There is no feature x."],
])("rejects a feature %s", (_, event, problem) => {
  expect(problemsOf(roadmap().feed(event))).toEqual([problem]);
});

test("accepts a new place once", () => {
  const workshop = roadmap();
  expect(problemsOf(workshop.feed(place("b", 4, "a", "a")))).toEqual(["applied"]);
  expect(workshop.feature("b").roadmap).toEqual({ wave: 4, dependencies: ["a"], skipped: [] });
  expect(problemsOf(workshop.feed(place("b", 4, "a")))).toEqual(["repeated"]);
});

test("finishes with a feature that was placed after its dependents", () => {
  const workshop = roadmap().begin();
  workshop.feed(place("a", 5));
  workshop.finish();
  expect(workshop.decide().idle).toBe("Everything is done: 3 features are done.");
});

test("removes a feature and its actions, unless other features build on it", () => {
  const workshop = roadmap().begin();
  expect(problemsOf(workshop.feed({ kind: "feature-removed", feature: "a" as never }))).toEqual([
    "b depends on a. Remove or place that one first.",
  ]);
  workshop.feed(place("b", 1));
  workshop.handOut("a/architect/1");
  expect(workshop.feed({ kind: "feature-removed", feature: "a" as never })).toMatchObject({
    effects: [{ kind: "dismissed", action: "a/architect/1" }],
  });
  expect([...workshop.lead.features.keys()]).toEqual(["b", "c", "alone"]);
  expect(problemsOf(workshop.feed({ kind: "feature-removed", feature: "a" as never }))).toEqual([
    "There is no feature a.",
  ]);
});

test("blocks a new feature on top of a failed one from the start", () => {
  const workshop = roadmap().begin();
  for (const run of [1, 2, 3]) {
    workshop.handOut(`a/architect/${run}`);
    workshop.lose(`a/architect/${run}`);
  }
  workshop.add(feature("d", { wave: 2, on: ["a"] }));
  expect(workshop.feature("d")).toMatchObject({
    phase: "blocked",
    blocked_info: { blocked_by: ["a"], reason: "upstream_failure" },
  });
  workshop.answer("a/escalation/1", "skip");
  workshop.add(feature("e", { wave: 2, on: ["a"] }));
  expect(workshop.feature("e").roadmap).toEqual({ wave: 2, dependencies: ["a"], skipped: ["a"] });
});

const A: ReviewScope = { of: "feature", feature: "a" as never };

test.each<[string, Partial<Extract<LeadEvent, { kind: "review-begun" }>>, string]>([
  [
    "of an unknown feature",
    { scope: { of: "feature", feature: "x" as never } },
    "Spec 'x' not found. Run `sdd_design \"description\"` first.",
  ],
  ["of code before there is code", { review: "impl" }, "Phase is 'design-generated'. Run `sdd_impl a` first."],
  [
    "of a design before there is one",
    { scope: { of: "feature", feature: "alone" as never } },
    "Design required. Run `sdd_design alone` first.",
  ],
  [
    "of dead code in one feature",
    { review: "dead-code" },
    "A dead-code review covers a wave or everything, not one feature.",
  ],
  ["of a wave without features", { scope: { of: "wave", wave: 9 } }, "Wave 9 has no features."],
  ["with an invalid batch", { batch: "7" }, '"7" is not a batch. Batches are B1, B2 and so on.'],
])("rejects a review %s", (_, said, problem) => {
  const workshop = roadmap().begin();
  workshop.report("a/architect/1");
  const event = {
    kind: "review-begun",
    review: "design",
    scope: A,
    batch: "B1",
    of: "design a 1",
    tracked: [],
    mended: [],
  } as const;
  expect(problemsOf(workshop.feed({ ...event, ...said }))).toEqual([problem]);
});

test("starts a review once, and not while an agent works on the feature", () => {
  const workshop = roadmap().begin();
  workshop.report("a/architect/1");
  const event = {
    kind: "review-begun",
    review: "design",
    scope: A,
    batch: "B1",
    of: "design a 1",
    tracked: [],
    mended: [],
  } as const;
  expect(problemsOf(workshop.feed(event))).toEqual(["applied"]);
  expect(problemsOf(workshop.feed(event))).toEqual(["repeated"]);
  expect(problemsOf(workshop.feed({ ...event, batch: "B2" }))).toEqual([
    "Review B1 of a/design is under way. Report it, or wait for it.",
  ]);
  workshop.review("a", "design");
  expect(problemsOf(workshop.feed(event))).toEqual(["B1 is taken. The next batch of a/design is B2."]);
  workshop.handOut("a/tasks/1");
  expect(problemsOf(workshop.feed({ ...event, batch: "B2" }))).toEqual([
    "An agent is working on a. Its review follows that report.",
  ]);
});

test("in a run, sends a design that a person changed to an Architect before its review", () => {
  const workshop = roadmap().begin();
  workshop.report("a/architect/1");
  expect(problemsOf(workshop.beginReview({ review: "design", scope: A }, "another"))).toEqual([
    "The content of a/design changed since it was accepted: first an Architect includes the change.",
  ]);
  expect(workshop.action("a/architect/2")).toMatchObject({ work: { mode: "existing", isFix: false } });
});

test("outside a run, reviews a design that a person changed", () => {
  const workshop = new Workshop().add(feature("a"));
  workshop.feed({ kind: "wanted", feature: "a" as never, goal: "design" });
  workshop.finish();
  expect(problemsOf(workshop.beginReview({ review: "design", scope: A }, "by hand"))).toEqual(["applied"]);
});

test("rejects a review of everything before there is a feature", () => {
  expect(problemsOf(new Workshop().beginReview({ review: "impl", scope: { of: "all" } }))).toEqual([
    "No specs found. Create specs first.",
  ]);
});

test("asks again for approvals of a feature that was removed and added again", () => {
  const workshop = new Workshop().add(feature("cart")).begin({ isGated: true });
  const upToQuestion = (): number => workshop.finish((one) => one.due().includes("cart/review-passed/B1"));
  upToQuestion();
  workshop.answer("cart/review-passed/B1", "continue");
  workshop.feed({ kind: "feature-removed", feature: "cart" as FeatureName });
  workshop.add(feature("cart"));
  upToQuestion();
  expect(workshop.due()).toEqual(["cart/review-passed/B1"]);
});

test("keeps a feature as a foundation until the user changes it", () => {
  const workshop = new Workshop().add(feature("clock"), feature("cart"));
  const placed = (said: { readonly foundation?: boolean; readonly wave?: number }): unknown => {
    workshop.feed({ kind: "placed", feature: "clock" as FeatureName, wave: 1, dependencies: [], ...said });
    const { roadmap: kept } = workshop.feature("clock");
    return [kept?.foundation ?? false, analyzeWaveParallelism(workshop.lead.features.values())[0]?.isFoundation];
  };
  expect(placed({ foundation: true })).toEqual([true, true]);
  expect(placed({ wave: 2 })).toEqual([true, false]);
  expect(listCurrentRequests(workshop.lead).find(({ name }) => name === "clock")).toMatchObject({ foundation: true });
  expect(placed({ foundation: false })).toEqual([false, false]);
});
