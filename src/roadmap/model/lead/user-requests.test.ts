import { expect, test } from "vitest";
import { feature, group } from "../../../../test/kit/features.ts";
import { finding, Workshop } from "../../../../test/kit/lead.ts";
import type { FeatureGoal, LeadEvent, LeadEventResult } from "./lead-state.ts";

type Wish = Omit<Extract<LeadEvent, { kind: "wanted" }>, "kind" | "feature" | "goal">;

const wish = (workshop: Workshop, goal: FeatureGoal, more: Wish = {}, name = "a"): LeadEventResult =>
  workshop.feed({ kind: "wanted", feature: name as never, goal, ...more });

const problemsOf = (applied: LeadEventResult): string[] =>
  applied.kind === "refused" ? applied.problems.map(({ problem }) => problem) : [applied.kind];

/** Alone, brought so far by commands. */
function alone(goal?: FeatureGoal): Workshop {
  const workshop = new Workshop().add(feature("a", { wave: null }));
  workshop.plans.set("a", [
    group("A", ["src/a.ts"], { tasks: ["1.1", "1.2"] }),
    group("B", ["src/b.ts"], { tasks: ["2.1"] }),
  ]);
  if (goal === undefined) return workshop;
  wish(workshop, "design");
  workshop.finish();
  if (goal === "design") return workshop;
  wish(workshop, goal);
  workshop.finish();
  return workshop;
}

test("ends a requested design with the design", () => {
  const workshop = alone();
  expect(problemsOf(wish(workshop, "design"))).toEqual(["applied"]);
  expect(problemsOf(wish(workshop, "design"))).toEqual(["repeated"]);
  expect(workshop.due()).toEqual(["a/architect/1"]);
  workshop.report("a/architect/1");
  expect({ due: workshop.due(), goals: workshop.lead.run.goals }).toEqual({ due: [], goals: {} });
});

test("ends a requested implementation with its own commit", () => {
  const workshop = alone("design");
  wish(workshop, "implementation");
  workshop.until("a/commit/1");
  expect(workshop.feature("a").phase).toBe("implementation-complete");
  expect(workshop.action("a/commit/1")).toMatchObject({ message: "a: What a is for", wave: null, features: ["a"] });
  workshop.report("a/commit/1");
  expect({ due: workshop.due(), goals: workshop.lead.run.goals }).toEqual({ due: [], goals: {} });
});

test.each<[string, FeatureGoal | undefined, FeatureGoal, Wish, string]>([
  ["code without a design", undefined, "implementation", {}, "Phase is 'initialized'. Run `sdd_design a` first."],
  ["a design that exists", "design", "design", {}, "a has a design. To redesign it, confirm."],
  [
    "a design of built code",
    "implementation",
    "design",
    {},
    "Re-designing a will invalidate the current implementation. Proceed? Ask the user; then request a new design.",
  ],
  [
    "code that exists",
    "implementation",
    "implementation",
    {},
    "All tasks of a are done. Choose: specify tasks, re-design, abort.",
  ],
  ["tasks that exist", "implementation", "tasks", {}, "a has its tasks. Run `sdd_impl a` to build them."],
  [
    "new tasks before there are tasks",
    "design",
    "implementation",
    { tasks: ["1.1"] },
    "a has no tasks yet. Run `sdd_impl a` without task numbers.",
  ],
  ["an unknown task", "implementation", "implementation", { tasks: ["9"] }, 'a has no task "9". It has 1.1, 1.2, 2.1.'],
])("rejects a request for %s", (_, before, goal, more, problem) => {
  expect(problemsOf(wish(alone(before), goal, more))).toEqual([problem]);
});

test("rejects a request for an unknown or blocked feature", () => {
  const workshop = alone();
  expect(problemsOf(wish(workshop, "design", {}, "nobody"))).toEqual([
    "Spec 'nobody' not found. Run `sdd_design \"description\"` first.",
  ]);
  wish(workshop, "design");
  for (const run of [1, 2, 3]) {
    workshop.handOut(`a/architect/${run}`);
    workshop.lose(`a/architect/${run}`);
  }
  expect(problemsOf(wish(workshop, "design"))).toEqual(["a is blocked by a"]);
  expect(workshop.due()).toEqual(["a/escalation/1"]);
});

test("keeps the plan of a requested redesign until the new design shows its impact", () => {
  const workshop = alone("implementation");
  expect(problemsOf(wish(workshop, "design", { isRedesign: true }))).toEqual(["applied"]);
  expect(workshop.feature("a")).toMatchObject({
    phase: "design-generated",
    fix: { source: "revise" },
    orchestration: { last_phase_action: null },
    implementation: { groups: [{ id: "A" }, { id: "B" }], hash: null },
  });
  expect(problemsOf(wish(workshop, "design", { isRedesign: true }))).toEqual(["repeated"]);
  workshop.report("a/architect/2");
  expect(workshop.feature("a").implementation).toMatchObject({ groups: [], tasks_hash: null });
  expect(workshop.feature("a")).toMatchObject({
    version: "1.1.0",
    version_refs: { design: "1.1.0", implementation: "1.0.0" },
  });
  wish(workshop, "implementation");
  expect(workshop.due()).toEqual(["a/tasks/2"]);
});

test("builds only the chosen tasks again", () => {
  const workshop = alone("implementation");
  expect(problemsOf(wish(workshop, "implementation", { tasks: ["1.2"] }))).toEqual(["applied"]);
  expect(workshop.due()).toEqual(["a/build-A/2"]);
  expect(workshop.action("a/build-A/2")).toMatchObject({ work: { tasks: ["1.2"], isFix: true } });
  workshop.report("a/build-A/2");
  workshop.until("a/commit/2");
  expect(workshop.feature("a")).toMatchObject({ phase: "implementation-complete", fix: null });
});

test("fixes and reviews again after a failed manual review", () => {
  const workshop = alone("implementation");
  workshop.beginReview({ review: "impl", scope: { of: "feature", feature: "a" as never } });
  workshop.review("a", "impl", { verdict: "NO-GO", verified: [finding({ severity: "C", location: "src/b.ts" })] });
  expect(workshop.due()).toEqual(["a/build-B/2"]);
  workshop.until("a/impl");
  workshop.review("a", "impl");
  expect(workshop.due()).toEqual(["a/commit/2"]);
});

test("does not count a passed review of some tasks as a review of the feature", () => {
  const workshop = alone("implementation");
  workshop.beginReview({ review: "impl", scope: { of: "feature", feature: "a" as never, tasks: ["1.1"] } });
  workshop.review("a", "impl");
  expect(workshop.feature("a").reviews.implementation).toMatchObject({ verdict: "GO", of: "tasks 1.1" });
});

test("sends a revision through all stages with all retries", () => {
  const workshop = alone("implementation");
  const applied = workshop.feed({ kind: "revised", feature: "a" as never, intent: "Also by mail" });
  expect(applied).toMatchObject({ effects: [{ kind: "decision", type: "USER_DECISION", decision: "Also by mail" }] });
  expect(workshop.feature("a").fix).toEqual({ source: "revise", batch: null, detail: "Also by mail", groups: [] });
  workshop.report("a/architect/2");
  // Its goal is to be done: reviews are part of that.
  expect(workshop.due()).toEqual(["a/design"]);
  workshop.until("a/commit/2");
  expect(workshop.feature("a").changelog.map(({ version, action }) => `${version} ${action}`)).toEqual([
    "1.0.0 design",
    "1.0.0 tasks",
    "1.0.0 implementation",
    "1.1.0 revise",
    "1.1.0 tasks",
    "1.1.0 implementation",
  ]);
});

test.each([
  ["an unknown feature", "nobody", "x", "Spec 'nobody' not found. Run `sdd_design \"description\"` first."],
  ["a feature without a design", "a", "x", "Phase is 'initialized'. Run `sdd_design a` first."],
])("rejects a revision of %s", (_, name, intent, problem) => {
  expect(problemsOf(alone().feed({ kind: "revised", feature: name as never, intent }))).toEqual([problem]);
});

test("requires the intent of a revision", () => {
  expect(problemsOf(alone("design").feed({ kind: "revised", feature: "a" as never, intent: " " }))).toEqual([
    "Say what shall become of a.",
  ]);
});

test("takes over the goals of its features when a run starts", () => {
  const workshop = new Workshop().add(feature("a"), feature("b", { wave: null }));
  wish(workshop, "design");
  wish(workshop, "design", {}, "b");
  workshop.begin();
  expect(workshop.lead.run.goals).toEqual({ b: "design" });
  expect(problemsOf(wish(workshop, "done"))).toEqual(["repeated"]);
});

test("stops everything, and offers interrupted actions under new ids", () => {
  const workshop = new Workshop().add(feature("a"), feature("b", { wave: null })).begin();
  wish(workshop, "design", {}, "b");
  workshop.handOut("a/architect/1");
  workshop.handOut("b/architect/1");
  expect(workshop.feed({ kind: "run-stopped", why: "Lunch." })).toEqual({
    kind: "applied",
    effects: [
      { kind: "dismissed", action: "a/architect/1" },
      { kind: "dismissed", action: "b/architect/1" },
    ],
  });
  expect(workshop.feed({ kind: "run-stopped", why: "Lunch." })).toEqual({ kind: "repeated" });
  expect(workshop.reportAs("a/architect/1", { kind: "gate" })).toEqual({ kind: "repeated" });
  workshop.begin();
  expect(workshop.due()).toEqual(["a/architect/2"]);
});

test("rejects a stop when nothing is in progress", () => {
  expect(problemsOf(new Workshop().feed({ kind: "run-stopped", why: "" }))).toEqual([
    "Nothing is under way that could be stopped.",
  ]);
});

test.each([[0], [-1], [Number.NaN]])("rejects a cap of %d tokens", (cap) => {
  expect(new Workshop().feed({ kind: "run-begun", isGated: false, cap }).kind).toBe("refused");
});

test("accepts changed settings during a run and keeps its cost", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  expect(workshop.feed({ kind: "run-begun", isGated: false, cap: null })).toEqual({ kind: "repeated" });
  workshop.report("a/architect/1", {}, 40);
  workshop.begin({ isGated: true, cap: 900 });
  expect(workshop.lead.run).toMatchObject({ isGated: true, cap: 900, spent: 40 });
});
