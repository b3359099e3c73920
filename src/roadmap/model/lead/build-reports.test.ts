import { expect, test } from "vitest";
import { feature, group } from "../../../../test/kit/features.ts";
import { finding, Workshop } from "../../../../test/kit/lead.ts";
import type { AgentReport, LeadEventResult, ReportFacts } from "./lead-state.ts";

type Built = NonNullable<ReportFacts["build"]>;
type Builder = Extract<AgentReport, { kind: "builder" }>;

const A = group("A", ["src/a.ts"], { tasks: ["1.1", "1.2"] });
const B = group("B", ["src/b.ts"], { tasks: ["2.1"] });
const C = group("C", ["src/c.ts"], { tasks: ["3.1"], wave: 2, depends: ["A"] });

/** Up to where the groups can be built. */
function atBuilding(groups = [A, B, C]): Workshop {
  const workshop = new Workshop().add(feature("login")).begin();
  workshop.plans.set("login", groups);
  return workshop.until("login/build-A/1");
}

const problemsOf = (applied: LeadEventResult): string[] =>
  applied.kind === "refused" ? applied.problems.map(({ problem }) => problem) : [applied.kind];

test("counts reports as they arrive and starts the next group as soon as it is free", () => {
  const workshop = atBuilding();
  expect(workshop.due()).toEqual(["login/build-A/1", "login/build-B/1"]);
  workshop.report("login/build-A/1");
  expect(workshop.due()).toEqual(["login/build-B/1", "login/build-C/1"]);
  expect(workshop.effects.at(-1)).toEqual({ kind: "tasks-done", feature: "login", tasks: ["1.1", "1.2"] });
  workshop.report("login/build-B/1");
  expect(workshop.feature("login").implementation.files_created).toEqual(["src/a.ts", "src/b.ts"]);
  workshop.report("login/build-C/1");
  expect(workshop.due()).toEqual(["login/gate/1"]);
});

const OK: Builder = { kind: "builder", tasks: ["1.1", "1.2"], files: ["src/a.ts"], tests: null, tags: [] };
const FOUND: Built = {
  hash: "h",
  missing: [],
  outside: [],
  files: ["src/a.ts"],
  tests: { status: "deferred", problems: [] },
};

test.each<[string, Partial<Builder>, Partial<Built> | undefined, string[]]>([
  ["the result was not checked", {}, undefined, ["The result was not checked. Report again."]],
  [
    "a file is missing",
    {},
    { missing: ["src/a.ts"], files: [] },
    ["src/a.ts does not exist. Write it and report again."],
  ],
  ["a claimed file does not exist", {}, { files: [] }, ["src/a.ts is in the report, but does not exist."]],
  [
    "it claims a file of another group",
    { files: ["src/a.ts", "src/b.ts"] },
    { files: ["src/a.ts", "src/b.ts"] },
    ["src/b.ts is not of group A. Undo what was changed there and report again."],
  ],
  ["it claims a task of another group", { tasks: ["1.1", "1.2", "2.1"] }, {}, ["Task 2.1 is not of group A."]],
  ["a task is not done", { tasks: ["1.1"] }, {}, ["Task 1.2 is not done. Do it, or report BUILDER_BLOCKED."]],
  [
    "its own numbers show failures",
    { tests: { passed: 3, total: 5 } },
    {},
    ["2 of 5 tests fail by the report itself. Make them pass."],
  ],
  [
    "the tests fail",
    {},
    { tests: { status: "failed", problems: [{ problem: "adds up: 2 is not 3" }] } },
    ["adds up: 2 is not 3"],
  ],
  ["the tests fail without a message", {}, { tests: { status: "failed", problems: [] } }, ["The tests fail."]],
  [
    "the tests could not run",
    {},
    { tests: { status: "unknown", problems: [] } },
    ["The tests could not run: there is no test command."],
  ],
])("rejects a builder's report where %s", (_, report, build, problems) => {
  const workshop = atBuilding();
  const facts = build ? { build: { ...FOUND, ...build } } : {};
  expect(problemsOf(workshop.reportAs("login/build-A/1", { ...OK, ...report }, facts))).toEqual(problems);
  expect(workshop.feature("login").implementation.groups[0]?.status).toBe("pending");
});

test.each<[string, Partial<Builder>, Partial<Built>]>([
  ["the tests wait for the gate", {}, {}],
  ["the tests pass", { tests: { passed: 5, total: 5 } }, { tests: { status: "passed", problems: [] } }],
  ["no tests are required", {}, { tests: { status: "waived", problems: [] } }],
  ["an optional task is left out", { tasks: ["1.1"] }, {}],
])("accepts a builder's report where %s", (_, report, build) => {
  const workshop = atBuilding([{ ...A, optional: ["1.2"] }, B]);
  const applied = workshop.reportAs("login/build-A/1", { ...OK, ...report }, { build: { ...FOUND, ...build } });
  expect(problemsOf(applied)).toEqual(["applied"]);
});

test("passes on a Builder's lessons, also of a blocked one", () => {
  const workshop = atBuilding();
  const tags = ["[PATTERN] One clock"];
  workshop.reportAs("login/build-A/1", { ...OK, tags }, { build: FOUND });
  const blocked = { kind: "builder-blocked", blocker: "No key", tasks: ["2"], attempted: "All", tags } as const;
  workshop.report("login/build-B/1", { report: blocked });
  const said = { kind: "tags", feature: "login", role: "builder", tags };
  expect(workshop.effects.filter(({ kind }) => kind === "tags")).toEqual([
    { ...said, tasks: ["1.1", "1.2"] },
    { ...said, tasks: ["2"] },
  ]);
});

test("plans around the first blocker and asks the user about the second", () => {
  const workshop = atBuilding();
  workshop.report("login/build-B/1");
  workshop.handOut("login/build-A/1");
  const blocked = { kind: "builder-blocked", blocker: "The key is missing", tasks: ["1.1"], attempted: "All" } as const;
  workshop.report("login/build-A/1", { report: blocked });
  expect(workshop.feature("login").orchestration).toMatchObject({
    retry_count: 1,
    total_count: 1,
    last_phase_action: null,
  });
  expect(workshop.action("login/tasks/2")).toMatchObject({
    work: { blocker: "Group A is blocked: The key is missing" },
  });
  workshop.report("login/tasks/2");
  expect(workshop.feature("login").implementation.groups.map(({ id, status }) => `${id} ${status}`)).toEqual([
    "A pending",
    "B done",
    "C pending",
  ]);
  workshop.report("login/build-A/2", { report: blocked });
  expect(workshop.feature("login").blocked_info).toMatchObject({
    blocked_by: ["login"],
    detail: "Group A is blocked: The key is missing",
  });
  workshop.answer("login/escalation/1", "fix");
  expect(workshop.due()).toEqual(["login/tasks/3"]);
});

test("dismisses the other Builders when tasks are planned again", () => {
  const workshop = atBuilding();
  workshop.handOut("login/build-B/1");
  workshop.report("login/build-A/1", { report: { kind: "builder-blocked", blocker: "", tasks: [], attempted: "" } });
  expect(workshop.effects).toContainEqual({ kind: "dismissed", action: "login/build-B/1" });
  expect(workshop.lead.out.size).toBe(0);
});

test("a passed gate completes the implementation", () => {
  const workshop = atBuilding().until("login/gate/1");
  const build = { ...workshop.built("login", "passed"), hash: "code 7" };
  workshop.report("login/gate/1", { facts: { build } });
  expect(workshop.feature("login")).toMatchObject({
    phase: "implementation-complete",
    version_refs: { design: "1.0.0", implementation: "1.0.0" },
    implementation: { hash: "code 7", files_created: ["src/a.ts", "src/b.ts", "src/c.ts"] },
    orchestration: { last_phase_action: "impl-complete" },
    fix: null,
  });
  expect(workshop.due()).toEqual(["login/impl"]);
});

test.each<[string, Partial<Built>, string[]]>([
  [
    "whose files are named",
    { tests: { status: "failed", problems: [{ problem: "src/b.ts:4 does not add up" }] } },
    ["login/build-B/2"],
  ],
  ["whose file is missing", { missing: ["src/a.ts"] }, ["login/build-A/2"]],
  [
    "of the feature, where no file is named",
    { tests: { status: "failed", problems: [] } },
    ["login/build-A/2", "login/build-B/2"],
  ],
])("sends a failed gate to the groups %s", (_, build, due) => {
  const workshop = atBuilding().until("login/gate/1");
  workshop.report("login/gate/1", { facts: { build: { ...workshop.built("login", "passed"), ...build } } });
  expect(workshop.due()).toEqual(due);
  expect(workshop.feature("login")).toMatchObject({
    fix: { source: "gate" },
    orchestration: { retry_count: 1, total_count: 1 },
  });
});

test.each(["unknown", "deferred"] as const)("rejects a gate whose tests are %s, and assigns no fix", (status) => {
  const workshop = atBuilding().until("login/gate/1");
  const applied = workshop.report("login/gate/1", { facts: { build: workshop.built("login", status) } });
  expect(problemsOf(applied)).toEqual([
    "The tests of login were not run. Name a test command, or waive it, and run the gate again.",
  ]);
  expect(workshop.due()).toEqual(["login/gate/1"]);
});

test("keeps the fix open when its gate fails", () => {
  const workshop = atBuilding().until("login/impl");
  workshop.review("login", "impl", {
    verdict: "NO-GO",
    verified: [finding({ severity: "C", location: "src/a.ts:3" })],
  });
  workshop.until("login/gate/2");
  workshop.report("login/gate/2", { facts: { build: workshop.built("login", "failed") } });
  expect(workshop.feature("login").fix).toMatchObject({
    source: "impl",
    batch: "sdd/features/login/reviews/B2.yaml",
    groups: ["A", "B", "C"],
  });
});

test.each([
  ["no group", { groups: [] }, "There is no group to build. Put every task in a group and report again."],
  ["one id twice", { groups: [A, A] }, "Two groups have the same id. Give each its own."],
  [
    "a group that does not exist",
    { groups: [{ ...A, depends: ["Z"] }] },
    "Group A depends on group Z, which is not there.",
  ],
  [
    "a circle",
    {
      groups: [
        { ...A, depends: ["B"] },
        { ...B, depends: ["A"] },
      ],
    },
    "Group A depends on itself.",
  ],
  [
    "problems in their document",
    { groups: [A], problems: [{ problem: "Spec 2 is not covered" }] },
    "Spec 2 is not covered",
  ],
])("rejects tasks with %s", (_, tasks, problem) => {
  const workshop = new Workshop().add(feature("login")).begin().until("login/tasks/1");
  const facts = { tasks: { hash: "t", problems: [], ...tasks } };
  expect(problemsOf(workshop.reportAs("login/tasks/1", { kind: "tasks", tags: [] }, facts))).toEqual([problem]);
});
