import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import { Workshop } from "../../../../test/kit/lead.ts";

/** `a` and `x` in the first wave, `b` on both, `c` on `b`. */
function roadmap(): Workshop {
  return new Workshop()
    .add(feature("a"), feature("x"), feature("b", { wave: 2, on: ["a", "x"] }), feature("c", { wave: 3, on: ["b"] }))
    .begin();
}

/** Loses whatever is due of a feature until nobody tries any more. */
function fail(workshop: Workshop, name: string): void {
  for (let times = 0; times < 3; times++) {
    const id = workshop.due().find((one) => one.startsWith(`${name}/`)) ?? "";
    workshop.handOut(id);
    workshop.lose(id);
  }
}

const blocked = (workshop: Workshop): Record<string, unknown> =>
  Object.fromEntries(
    [...workshop.lead.features.values()].flatMap(({ feature_name: name, blocked_info: info }) =>
      info ? [[name, [info.reason, info.blocked_by, info.blocked_at_phase]]] : [],
    ),
  );

test("blocks a failed feature and everything downstream at any phase", () => {
  const workshop = roadmap();
  workshop.report("a/architect/1");
  workshop.report("x/architect/1");
  for (const name of ["a", "x"]) workshop.review(name, "design");
  workshop.report("b/architect/1");
  workshop.beginReview({ review: "design", scope: { of: "feature", feature: "b" as never } });
  workshop.handOut("b/design/B1/rulebase");
  fail(workshop, "x");
  expect(blocked(workshop)).toEqual({
    x: ["retries_exhausted", ["x"], "design-generated"],
    b: ["upstream_failure", ["x"], "design-generated"],
    c: ["upstream_failure", ["x"], "initialized"],
  });
  expect(workshop.effects.filter(({ kind }) => kind === "dismissed")).toEqual([
    { kind: "dismissed", action: "b/design/B1/rulebase" },
  ]);
  expect({ out: workshop.lead.out.size, reviews: workshop.lead.reviews.size }).toEqual({ out: 0, reviews: 0 });
  expect(workshop.due()).toEqual(["a/tasks/1", "x/escalation/1"]);
  expect(workshop.action("x/escalation/1")).toMatchObject({
    question: "escalation",
    choices: ["fix", "skip", "abort"],
    detail: expect.stringMatching(
      /^x failed: tasks was lost 3 times in a row: nobody answered 2 features that build on it wait\. Tried: .* fix: .* skip: .* abort: /,
    ),
  });
});

test("names both of two failed features as blockers", () => {
  const workshop = roadmap();
  fail(workshop, "a");
  fail(workshop, "x");
  expect(blocked(workshop)).toMatchObject({
    b: ["upstream_failure", ["a", "x"], "initialized"],
    c: ["upstream_failure", ["a", "x"], "initialized"],
  });
  workshop.answer("a/escalation/1", "skip");
  expect(blocked(workshop)).toMatchObject({ b: ["upstream_failure", ["x"], "initialized"] });
});

test("with fix, resets all retries, and the others wait until the feature is built and reviewed", () => {
  const workshop = roadmap();
  workshop.report("a/architect/1");
  workshop.report("x/architect/1");
  for (const name of ["a", "x"]) workshop.review(name, "design");
  workshop.report("b/architect/1");
  fail(workshop, "a");
  workshop.answer("a/escalation/1", "fix", "The key is there now");
  expect(workshop.feature("a")).toMatchObject({
    phase: "design-generated",
    blocked_info: null,
    orchestration: { retry_count: 0, spec_update_count: 0, total_count: 0, lost: {} },
  });
  expect(workshop.effects.at(-1)).toMatchObject({
    type: "ESCALATION_RESOLVED",
    summary: "a: fix",
    reason: "The key is there now",
  });
  workshop.finish((one) => one.due().includes("a/impl"));
  expect(Object.keys(blocked(workshop))).toEqual(["b", "c"]);
  workshop.review("a", "impl");
  expect(blocked(workshop)).toEqual({});
  expect(workshop.feature("b").phase).toBe("design-generated");
  workshop.finish();
  expect(workshop.decide().idle).toBe("Everything is done: 4 features are done.");
});

test("with skip, lets the others continue without the feature", () => {
  const workshop = roadmap();
  fail(workshop, "a");
  workshop.answer("a/escalation/1", "skip");
  expect(workshop.feature("a").blocked_info?.is_skipped).toBe(true);
  expect(workshop.feature("b").roadmap).toEqual({ wave: 2, dependencies: ["a", "x"], skipped: ["a"] });
  expect(blocked(workshop)).toEqual({ a: ["retries_exhausted", ["a"], "initialized"] });
  workshop.finish();
  expect(workshop.decide().idle).toBe("3 features are done, 1 blocked.");
});

test("with abort, keeps everything and asks again in the next run", () => {
  const workshop = roadmap();
  fail(workshop, "a");
  workshop.handOut("x/architect/1");
  workshop.answer("a/escalation/1", "abort");
  expect(workshop.lead.run).toMatchObject({ isOn: false, stopped: "The user aborted after a failed." });
  expect(workshop.due()).toEqual([]);
  expect(workshop.answer("a/escalation/1", "fix")).toEqual({ kind: "repeated" });
  workshop.begin();
  expect(workshop.due()).toEqual(["x/architect/2", "a/escalation/2"].toSorted());
});

test("keeps a feature blocked that failed itself until its blocker is settled too", () => {
  const workshop = roadmap();
  workshop.report("a/architect/1");
  workshop.report("x/architect/1");
  for (const name of ["a", "x"]) workshop.review(name, "design");
  fail(workshop, "b");
  fail(workshop, "x");
  expect(blocked(workshop)).toMatchObject({ b: ["retries_exhausted", ["b", "x"], "initialized"] });
  workshop.answer("b/escalation/1", "fix");
  expect(blocked(workshop)).toMatchObject({
    b: ["upstream_failure", ["x"], "initialized"],
    c: ["upstream_failure", ["b", "x"], "initialized"],
  });
  workshop.answer("x/escalation/1", "skip");
  expect(Object.keys(blocked(workshop))).toEqual(["x", "c"]);
});

test.each([
  ["a feature that does not exist", "nobody", "There is no feature nobody."],
  ["a feature that is not blocked", "x", "x is not blocked."],
  ["a feature that another one blocks", "b", "b is blocked by a: unblock that first."],
])("does not unblock %s", (_, name, problem) => {
  const workshop = roadmap();
  fail(workshop, "a");
  expect(workshop.feed({ kind: "unblocked", feature: name as never, how: "fix" })).toMatchObject({
    problems: [{ problem }],
  });
});

test("brings a skipped feature back at the user's request, and the others stay without it", () => {
  const workshop = roadmap();
  fail(workshop, "a");
  workshop.feed({ kind: "unblocked", feature: "a" as never, how: "skip" });
  workshop.feed({ kind: "unblocked", feature: "a" as never, how: "fix" });
  expect(workshop.feature("a").phase).toBe("initialized");
  expect(workshop.feature("b").roadmap?.skipped).toEqual(["a"]);
  workshop.finish();
  expect(workshop.decide().idle).toBe("Everything is done: 4 features are done.");
});

test("updates blocked features when dependencies change", () => {
  const workshop = roadmap();
  fail(workshop, "a");
  workshop.feed({ kind: "placed", feature: "b" as never, wave: 2, dependencies: ["x"] as never });
  expect(Object.keys(blocked(workshop))).toEqual(["a"]);
  workshop.feed({ kind: "placed", feature: "x" as never, wave: 1, dependencies: ["a"] as never });
  expect(Object.keys(blocked(workshop))).toEqual(["a", "x", "b", "c"]);
});
