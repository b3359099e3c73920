import { expect, test } from "vitest";
import { built, designed, feature, group, createTestLead, review } from "../../../../test/kit/features.ts";
import { Workshop } from "../../../../test/kit/lead.ts";

const SHARED = "src/shared.ts";

/** Two features of a wave that both want one file, with nobody in the way. */
function sharing(said: { onOverlap?: "partition" } = {}): Workshop {
  const workshop = new Workshop().add(feature("a"), feature("b")).begin(said);
  workshop.plans.set("a", [group("A", ["src/a.ts"]), group("B", [SHARED], { depends: ["A"] })]);
  workshop.plans.set("b", [group("A", ["src/b.ts", SHARED])]);
  for (const name of ["a", "b"]) plan(workshop, name);
  return workshop;
}

function plan(workshop: Workshop, name: string): void {
  workshop.report(`${name}/architect/1`);
  workshop.review(name, "design");
  workshop.report(`${name}/tasks/1`);
}

test("lets the later of two features that claim one file wait for the other", () => {
  const workshop = sharing();
  expect(workshop.due()).toEqual(["a/build-A/1"]);
  workshop.until("a/impl");
  expect(workshop.due()).toEqual(["a/impl"]);
  workshop.review("a", "impl");
  expect(workshop.due()).toEqual(["b/build-A/1"]);
});

test.each<[string, string, string]>([
  ["case", "src/Shared.ts", "src/shared.ts"],
  ["the composition of a letter", "src/E\u0301a.ts", "src/\u00c9a.ts"],
])("treats two names that differ in %s as one file, in a wave and between groups", (_, one, other) => {
  const workshop = new Workshop().add(feature("a"), feature("b")).begin();
  workshop.plans.set("a", [group("A", [one]), group("B", [other])]);
  workshop.plans.set("b", [group("A", [other])]);
  for (const name of ["a", "b"]) plan(workshop, name);
  expect(workshop.due()).toEqual(["a/build-A/1"]);
  workshop.handOut("a/build-A/1");
  expect(workshop.due()).toEqual([]);
});

test.each<[string, boolean]>([
  ["of a feature with a Builder at work", true],
  ["of a feature that can start", false],
])("lets a feature outside the roadmap wait for the file %s, in any case", (_, isOut) => {
  const workshop = new Workshop().add(feature("a", { wave: null }), feature("b", { wave: null }));
  for (const [name, file] of [["a", "src/Shared.ts"] as const, ["b", SHARED] as const]) {
    workshop.plans.set(name, [group("A", [file])]);
    workshop.feed({ kind: "wanted", feature: name as never, goal: "done" });
    plan(workshop, name);
    if (isOut && name === "a") workshop.handOut("a/build-A/1");
  }
  expect(workshop.due()).toEqual(isOut ? [] : ["a/build-A/1"]);
});

test("with partition, plans the tasks once more without the file", () => {
  const workshop = sharing({ onOverlap: "partition" });
  expect(workshop.due()).toEqual(["a/build-A/1", "b/tasks/2"]);
  expect(workshop.action("b/tasks/2")).toMatchObject({ work: { excluded: [SHARED], blocker: null } });
  workshop.report("b/tasks/2");
  expect(workshop.feature("b").implementation).toMatchObject({ excluded: [SHARED], groups: [{ files: ["src/b.ts"] }] });
  expect(workshop.due()).toEqual(["a/build-A/1", "b/build-A/1"]);
});

test("lets a feature that needs the file wait after one attempt to plan around it, in any case", () => {
  const workshop = sharing({ onOverlap: "partition" });
  const groups = [group("A", ["src/b.ts", "src/Shared.ts"])];
  const facts = { tasks: { hash: "t", groups, problems: [] } };
  expect(workshop.report("b/tasks/2", { facts }).kind).toBe("applied");
  expect(workshop.feature("b")).toMatchObject({
    implementation: { excluded: [], groups },
    orchestration: { retry_count: 0, total_count: 0 },
  });
  expect(workshop.due()).toEqual(["a/build-A/1"]);
  workshop.until("a/impl").review("a", "impl");
  expect(workshop.due()).toEqual(["b/build-A/1"]);
});

test.each<[string, (one: Workshop) => void]>([
  ["is lost", (one) => void one.lose("b/tasks/2")],
  [
    "writes no plan, three times",
    (one) => {
      for (let i = 0; i < 3; i++) one.report("b/tasks/2", { facts: { tasks: { hash: "", groups: [], problems: [] } } });
    },
  ],
])("counts no retry when the agent that plans around a file %s: plans with the file, and waits", (_, fail) => {
  const workshop = sharing({ onOverlap: "partition" });
  workshop.handOut("b/tasks/2");
  fail(workshop);
  expect(workshop.feature("b").orchestration).toMatchObject({ retry_count: 0, total_count: 0 });
  expect(workshop.action("b/tasks/3")).toMatchObject({ work: { excluded: [], blocker: null } });
  workshop.report("b/tasks/3");
  expect(workshop.due()).toEqual(["a/build-A/1"]);
});

test("asks to plan around a file again after a redesign", () => {
  const workshop = sharing({ onOverlap: "partition" });
  workshop.handOut("b/tasks/2");
  workshop.lose("b/tasks/2");
  workshop.feed({ kind: "wanted", feature: "b" as never, goal: "done", isRedesign: true });
  workshop.report("b/architect/2");
  workshop.review("b", "design");
  workshop.report("b/tasks/3");
  expect(workshop.action("b/tasks/4")).toMatchObject({ work: { excluded: [SHARED] } });
});

test("treats the files of a design as claimed before there are tasks", () => {
  const workshop = new Workshop().add(feature("a"), feature("b")).begin();
  workshop.plans.set("a", [group("A", [SHARED])]);
  workshop.plans.set("b", [group("A", [SHARED])]);
  workshop.report("a/architect/1");
  workshop.report("b/architect/1");
  workshop.review("b", "design");
  workshop.report("b/tasks/1");
  expect(workshop.due()).toEqual(["a/design"]);
  expect(workshop.decide().idle).toBeNull();
});

test("lets features that depend on each other share a file", () => {
  const workshop = new Workshop().add(feature("b"), feature("a", { on: ["b"] })).begin();
  for (const name of ["a", "b"]) workshop.plans.set(name, [group("A", [SHARED])]);
  workshop.finish((one) => one.due().includes("b/build-A/1"));
  expect(workshop.due()).toContain("b/build-A/1");
  workshop.finish();
  expect(workshop.decide().idle).toBe("Everything is done: 2 features are done.");
});

test("lets no feature build with a file that another feature is changing, in any wave or outside", () => {
  const workshop = new Workshop().add(feature("a", { wave: null }), feature("b", { wave: null }));
  for (const name of ["a", "b"]) {
    workshop.plans.set(name, [group("A", [SHARED])]);
    workshop.feed({ kind: "wanted", feature: name as never, goal: "done" });
    plan(workshop, name);
  }
  expect(workshop.due()).toEqual(["a/build-A/1"]);
  workshop.handOut("a/build-A/1");
  expect(workshop.decide()).toMatchObject({ actions: [], idle: "1 action is under way." });
  workshop.report("a/build-A/1");
  expect(workshop.due()).toEqual(["a/gate/1", "b/build-A/1"]);
});

test("offers an assigned action to no other session", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  expect(workshop.handOut("a/architect/1", "one")).toEqual({ kind: "applied", effects: [] });
  expect(workshop.due()).toEqual([]);
  expect(workshop.decide().out).toMatchObject([{ action: { id: "a/architect/1" }, session: "one", refusals: 0 }]);
  expect(workshop.handOut("a/architect/1", "one")).toEqual({ kind: "repeated" });
  expect(workshop.handOut("a/architect/1", "two")).toMatchObject({
    problems: [
      {
        problem:
          "a/architect/1 is assigned to session one since 2026-11-16T09:00:00Z. Call sdd_next for other actions.",
      },
    ],
  });
  expect(workshop.handOut("a/gate/1")).toMatchObject({
    problems: [{ problem: "a/gate/1 is not ready, and no agent works on it. Call sdd_next for the next actions." }],
  });
});

test.each<[string, (one: Workshop) => unknown, string]>([
  ["there is no feature", () => undefined, "No features yet. Add them with `sdd_design` or `sdd_roadmap create`."],
  [
    "no feature is requested",
    (one) => one.add(feature("a")),
    "Nothing is running. Start with `sdd_roadmap run`, `sdd_design` or `sdd_impl`.",
  ],
  [
    "the roadmap is empty",
    (one) => one.add(feature("a", { wave: null })).begin(),
    "The roadmap has no features. Add them with `sdd_roadmap create`.",
  ],
  [
    "the run was stopped",
    (one) => one.add(feature("a")).begin().feed({ kind: "run-stopped", why: "Lunch." }),
    "The run was stopped: Lunch. Continue with `sdd_roadmap run`.",
  ],
  [
    "an action is in progress",
    (one) => one.add(feature("a")).begin().handOut("a/architect/1"),
    "1 action is under way.",
  ],
])("reports that %s", (_, prepare, idle) => {
  const workshop = new Workshop();
  prepare(workshop);
  expect(workshop.decide()).toMatchObject({ actions: [], reviews: [], idle });
});

test("names the reason for each wait", () => {
  const workshop = new Workshop().add(
    feature("a", { wave: null }),
    feature("b", { wave: 1 }),
    feature("c", { wave: 2, on: ["b"] }),
  );
  workshop.feed({ kind: "wanted", feature: "c" as never, goal: "design" });
  expect(workshop.decide().idle).toBe("Nothing is ready. c: it builds on the design of b.");
});

test("names the features that wait for each other in circular records", () => {
  const files = [SHARED];
  const orchestration = { ...feature("a").orchestration, last_phase_action: "tasks-generated" } as const;
  const planned = (name: string, on: string): ReturnType<typeof feature> =>
    designed(name, files, {
      on: [on],
      orchestration,
      reviews: { design: review("GO", `design of ${name}`), implementation: null },
      implementation: { groups: [group("A", files)] },
    });
  const workshop = new Workshop();
  workshop.lead = createTestLead([planned("a", "b"), planned("b", "a"), built("c", ["src/c.ts"])]);
  expect(workshop.decide()).toMatchObject({
    actions: [],
    idle: "Nothing is ready. a: it is built on b. b: it is built on a.",
  });
  workshop.lead = {
    ...workshop.lead,
    run: { ...workshop.lead.run, isOn: false, goals: { a: "implementation", b: "implementation" } },
  };
  expect(workshop.due()).toEqual(["a/build-A/1"]);
});

test("delays a feature that a run needs until its current action ends", () => {
  const workshop = new Workshop().add(feature("a"));
  workshop.feed({ kind: "wanted", feature: "a" as never, goal: "design" });
  workshop.finish();
  workshop.feed({ kind: "wanted", feature: "a" as never, goal: "implementation" });
  workshop.until("a/build-A/1").handOut("a/build-A/1");
  workshop.begin();
  // Nobody has reviewed the design, and somebody builds from it.
  expect(workshop.decide()).toMatchObject({ actions: [], reviews: [], idle: "1 action is under way." });
  workshop.report("a/build-A/1");
  expect(workshop.due()).toEqual(["a/design"]);
});
