import { expect, test } from "vitest";
import { built, designed, feature, group, createTestLead, review, type Said } from "../../../../test/kit/features.ts";
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
  const lead = createTestLead([record]);
  workshop.lead = { ...lead, run: { ...lead.run, ...run } };
  return workshop.due();
}

test.each<[string, FeatureRecord, string[]]>([
  ["there is nothing yet", feature("login"), ["login/architect/1"]],
  ["the design exists", designed("login", FILES), ["login/design"]],
  [
    "an older design was reviewed",
    designed("login", FILES, { reviews: { design: review("GO", "old"), implementation: null } }),
    ["login/design"],
  ],
  [
    "the design passed",
    designed("login", FILES, { reviews: { design: passed, implementation: null } }),
    ["login/tasks/1"],
  ],
  ["the design needs a fix", designed("login", FILES, { fix: fix("design") }), ["login/architect/1"]],
  ["the spec needs a fix", planned({ fix: fix("spec-update") }), ["login/architect/1"]],
  ["the user wants a new design", planned({ fix: fix("revise") }), ["login/architect/1"]],
  [
    "the agent plans around a blocker",
    designed("login", FILES, { reviews: { design: passed, implementation: null }, fix: fix("blocker") }),
    ["login/tasks/1"],
  ],
  ["the tasks exist", planned(), ["login/build-A/1", "login/build-B/1"]],
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
    "two groups share a file",
    planned({ implementation: { groups: [group("A", FILES), group("B", ["src/b.ts"])] } }),
    ["login/build-A/1"],
  ],
  [
    "all groups are done",
    planned({ implementation: { groups: [group("A", FILES, { status: "done" })] } }),
    ["login/gate/1"],
  ],
  ["the code exists", built("login", FILES, { reviews: { design: passed, implementation: null } }), ["login/impl"]],
  [
    "older code was reviewed",
    built("login", FILES, { reviews: { design: passed, implementation: review("GO", "old") } }),
    ["login/impl"],
  ],
  [
    "a group needs a fix",
    built("login", FILES, {
      fix: fix("impl", ["A"]),
      implementation: { hash: null, groups: [group("A", FILES), group("B", ["x.ts"], { status: "done" })] },
    }),
    ["login/build-A/1"],
  ],
  [
    "the group was fixed",
    built("login", FILES, { fix: fix("impl", ["A"]), implementation: { hash: null } }),
    ["login/gate/1"],
  ],
  ["everything is done", built("login", FILES), ["wave-1/gate/1"]],
])("offers the next step in a run where %s", (_, record, due) => {
  expect(dueIn(record)).toEqual(due);
});

test.each<[FeatureGoal, string, FeatureRecord, string[]]>([
  ["design", "there is nothing yet", feature("login"), ["login/architect/1"]],
  ["design", "the design exists", designed("login", FILES), []],
  [
    "design",
    "a manual review failed and the design was fixed",
    designed("login", FILES, { reviews: { design: review("NO-GO", "old"), implementation: null } }),
    ["login/design"],
  ],
  ["tasks", "the design exists", designed("login", FILES), ["login/tasks/1"]],
  ["tasks", "the tasks exist", planned(), []],
  [
    "implementation",
    "the tasks exist and the design was not reviewed",
    planned({ reviews: { design: null, implementation: null } }),
    ["login/build-A/1", "login/build-B/1"],
  ],
  [
    "implementation",
    "the code exists and was not reviewed",
    built("login", FILES, { reviews: { design: null, implementation: null } }),
    ["login/commit/1"],
  ],
  [
    "implementation",
    "a manual review failed and the code was fixed",
    built("login", FILES, { reviews: { design: null, implementation: review("NO-GO", "old") } }),
    ["login/impl"],
  ],
  ["commit", "the review of the design passed", designed("login", FILES), ["login/commit/1"]],
  ["done", "the design exists", designed("login", FILES), ["login/design"]],
  [
    "done",
    "the code exists",
    built("login", FILES, { reviews: { design: passed, implementation: null } }),
    ["login/impl"],
  ],
])("outside a run with the goal %s, offers the next step where %s", (goal, _, record, due) => {
  expect(dueIn(record, { isOn: false, goals: { login: goal } })).toEqual(due);
});

test("offers nothing outside a run for a feature without a goal", () => {
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
    "not again after the user's approval",
    { agreed: ["login/review-passed/B1"] },
    designed("login", FILES, { reviews: { design: passed, implementation: null } }),
    ["login/tasks/1"],
  ],
  ["not once the work continued", {}, planned(), ["login/build-A/1", "login/build-B/1"]],
  ["after an implementation review", {}, built("login", FILES), ["login/review-passed/B1"]],
  [
    "before a structural change",
    {},
    designed("login", FILES, { fix: { ...fix("design"), isStructural: true } }),
    ["login/structure/1"],
  ],
])("with --gate asks the user %s", (_, run, record, due) => {
  expect(dueIn(record, { isGated: true, ...run })).toEqual(due);
});

test("asks the user about a review's proposal before anything else", () => {
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

test("lets a design wait for the designs that it builds on, not for code", () => {
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

test("lets code wait for the gates of earlier waves, but not designs and their reviews", () => {
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
