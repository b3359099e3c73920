import { expect, test } from "vitest";
import { built, designed, feature, group, leadOf, review, type Said } from "../../../../test/kit/features.ts";
import { Workshop } from "../../../../test/kit/lead.ts";
import type { FeatureRecord, PendingFix } from "../feature/feature-record.ts";
import type { FeatureGoal, Lead } from "./lead-state.ts";

const FILES = ["src/a.ts", "src/b.ts"];
const passed = review("GO", "design of login");
const planned = (said: Said = {}, last: "tasks-generated" | "impl-complete" = "tasks-generated"): FeatureRecord =>
  designed("login", FILES, {
    reviews: { design: passed, implementation: null },
    orchestration: { ...feature("login").orchestration, last_phase_action: last },
    ...said,
    implementation: { groups: [group("A", ["src/a.ts"]), group("B", ["src/b.ts"])], ...said.implementation },
  });
const fix = (source: PendingFix["source"], groups: readonly string[] = []): PendingFix => ({
  source,
  batch: null,
  detail: "It is wrong",
  groups,
});

function dueIn(record: FeatureRecord, run: Partial<Lead["run"]> = {}): string[] {
  const workshop = new Workshop();
  const lead = leadOf([record]);
  workshop.lead = { ...lead, run: { ...lead.run, ...run } };
  return workshop.due();
}

test.each<[string, FeatureRecord, string[]]>([
  ["nothing is there", feature("login"), ["login/architect/1"]],
  ["the design is there", designed("login", FILES), ["login/design"]],
  [
    "another design was reviewed",
    designed("login", FILES, { reviews: { design: review("GO", "old"), implementation: null } }),
    ["login/design"],
  ],
  [
    "the design passed",
    designed("login", FILES, { reviews: { design: passed, implementation: null } }),
    ["login/tasks/1"],
  ],
  ["the design has to be mended", designed("login", FILES, { fix: fix("design") }), ["login/architect/1"]],
  ["the spec has to be mended", planned({ fix: fix("spec-update") }), ["login/architect/1"]],
  ["the user wants another", planned({ fix: fix("revise") }), ["login/architect/1"]],
  [
    "a blocker is planned around",
    designed("login", FILES, { reviews: { design: passed, implementation: null }, fix: fix("blocker") }),
    ["login/tasks/1"],
  ],
  ["the tasks are there", planned(), ["login/build-A/1", "login/build-B/1"]],
  [
    "a group waits for another",
    planned({ implementation: { groups: [group("A", ["src/a.ts"]), group("B", ["src/b.ts"], { depends: ["A"] })] } }),
    ["login/build-A/1"],
  ],
  [
    "the other group is done",
    planned({
      implementation: {
        groups: [group("A", ["src/a.ts"], { status: "done" }), group("B", ["src/b.ts"], { depends: ["A"] })],
      },
    }),
    ["login/build-B/1"],
  ],
  [
    "two groups have one file",
    planned({ implementation: { groups: [group("A", FILES), group("B", ["src/b.ts"])] } }),
    ["login/build-A/1"],
  ],
  [
    "all groups are done",
    planned({ implementation: { groups: [group("A", FILES, { status: "done" })] } }),
    ["login/gate/1"],
  ],
  ["the code is there", built("login", FILES, { reviews: { design: passed, implementation: null } }), ["login/impl"]],
  [
    "other code was reviewed",
    built("login", FILES, { reviews: { design: passed, implementation: review("GO", "old") } }),
    ["login/impl"],
  ],
  [
    "a group has to be mended",
    built("login", FILES, {
      fix: fix("impl", ["A"]),
      implementation: { hash: null, groups: [group("A", FILES), group("B", ["x.ts"], { status: "done" })] },
    }),
    ["login/build-A/1"],
  ],
  [
    "it was mended",
    built("login", FILES, { fix: fix("impl", ["A"]), implementation: { hash: null } }),
    ["login/gate/1"],
  ],
  ["all is done", built("login", FILES), ["wave-1/gate/1"]],
])("in a run, where %s", (_, record, due) => {
  expect(dueIn(record)).toEqual(due);
});

test.each<[FeatureGoal, string, FeatureRecord, string[]]>([
  ["design", "nothing is there", feature("login"), ["login/architect/1"]],
  ["design", "the design is there", designed("login", FILES), []],
  [
    "design",
    "a review begun by hand said no, and it was mended",
    designed("login", FILES, { reviews: { design: review("NO-GO", "old"), implementation: null } }),
    ["login/design"],
  ],
  ["tasks", "the design is there", designed("login", FILES), ["login/tasks/1"]],
  ["tasks", "the tasks are there", planned(), []],
  [
    "implementation",
    "the tasks are there, and nobody reviewed the design",
    planned({ reviews: { design: null, implementation: null } }),
    ["login/build-A/1", "login/build-B/1"],
  ],
  [
    "implementation",
    "the code is there, and nobody reviewed it",
    built("login", FILES, { reviews: { design: null, implementation: null } }),
    ["login/commit/1"],
  ],
  [
    "implementation",
    "a review begun by hand said no, and it was mended",
    built("login", FILES, { reviews: { design: null, implementation: review("NO-GO", "old") } }),
    ["login/impl"],
  ],
  ["commit", "the review of the design passed", designed("login", FILES), ["login/commit/1"]],
  ["done", "the design is there", designed("login", FILES), ["login/design"]],
  [
    "done",
    "the code is there",
    built("login", FILES, { reviews: { design: passed, implementation: null } }),
    ["login/impl"],
  ],
])("outside of a run, with the goal %s, where %s", (goal, _, record, due) => {
  expect(dueIn(record, { isOn: false, goals: { login: goal } })).toEqual(due);
});

test("outside of a run, nothing is due of what nobody wants", () => {
  expect(dueIn(feature("login"), { isOn: false })).toEqual([]);
});

test.each<[string, Partial<Lead["run"]>, FeatureRecord, string[]]>([
  [
    "after a design review",
    {},
    designed("login", FILES, { reviews: { design: passed, implementation: null } }),
    ["login/review-passed/B1"],
  ],
  [
    "not where the user agreed",
    { agreed: ["login/review-passed/B1"] },
    designed("login", FILES, { reviews: { design: passed, implementation: null } }),
    ["login/tasks/1"],
  ],
  ["not where somebody went on already", {}, planned(), ["login/build-A/1", "login/build-B/1"]],
  ["after an implementation review", {}, built("login", FILES), ["login/review-passed/B1"]],
  [
    "before a change of structure",
    {},
    designed("login", FILES, { fix: { ...fix("design"), isStructural: true } }),
    ["login/structure/1"],
  ],
])("with --gate the user is asked %s", (_, run, record, due) => {
  expect(dueIn(record, { isGated: true, ...run })).toEqual(due);
});

test("what a review proposes is asked, and nothing goes on before it is answered", () => {
  const waiting = [{ batch: "B1", line: 2, file: "tech.md", text: "Use one clock" }];
  const ref = { ...passed, proposals: 1, waiting };
  expect(dueIn(designed("login", FILES, { reviews: { design: ref, implementation: null } }))).toEqual([
    "login/steering/B1-2",
  ]);
  expect(
    dueIn(
      built("login", FILES, {
        reviews: { design: passed, implementation: { ...review("GO", "code of login"), proposals: 1, waiting } },
      }),
    ),
  ).toEqual(["login/steering/B1-2"]);
});

test("a design waits for the designs it builds on, and not for code", () => {
  const workshop = new Workshop().add(feature("accounts"), feature("login", { wave: 2, on: ["accounts"] })).begin();
  expect(workshop.due()).toEqual(["accounts/architect/1"]);
  workshop.report("accounts/architect/1");
  // Its first review may still change what it offers.
  expect(workshop.due()).toEqual(["accounts/design"]);
  workshop.review("accounts", "design", {
    verdict: "NO-GO",
    verified: [{ severity: "C", category: "x", location: "y", description: "z", sources: [] }],
  });
  // A design that is about to change is no basis.
  expect(workshop.due()).toEqual(["accounts/architect/2"]);
});

test("code waits for the gates of earlier waves; designs and their reviews run ahead", () => {
  const workshop = new Workshop()
    .add(feature("accounts"), feature("mail", { wave: 1 }), feature("login", { wave: 2, on: ["accounts"] }))
    .begin();
  workshop.until("wave-1/gate/1").report("login/architect/1");
  workshop.review("login", "design");
  expect(workshop.due()).toEqual(["wave-1/gate/1"]);
  workshop.report("wave-1/gate/1");
  workshop.report("wave-1/commit");
  expect(workshop.due()).toEqual(["login/tasks/1"]);
});
