import { expect, test } from "vitest";
import { feature, group } from "../../../../test/kit/features.ts";
import { finding, Workshop } from "../../../../test/kit/lead.ts";
import type { AgentReport } from "./lead-state.ts";

const WRONG: AgentReport = { kind: "tasks", tags: [] };

test("accepts a report once", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  const told = workshop.well(workshop.action("a/architect/1"));
  expect(workshop.reportAs("a/architect/1", told.report, told.facts).kind).toBe("applied");
  const before = workshop.lead;
  expect(workshop.reportAs("a/architect/1", told.report, told.facts)).toEqual({ kind: "repeated" });
  expect(workshop.lead).toBe(before);
});

test.each([
  ["a/architect/2", "a/architect/2 is not ready, and no agent works on it. Call sdd_next for the next actions."],
  ["a/gate/1", "a/gate/1 is not ready, and no agent works on it. Call sdd_next for the next actions."],
  [
    "nobody/architect/1",
    "nobody/architect/1 is not ready, and no agent works on it. Call sdd_next for the next actions.",
  ],
  ["wave-9/commit", "wave-9/commit is not ready, and no agent works on it. Call sdd_next for the next actions."],
  [
    "a/design/B1/rulebase",
    "a/design/B1/rulebase is not ready, and no agent works on it. Call sdd_next for the next actions.",
  ],
  ["run/cap/1", "run/cap/1 is not ready, and no agent works on it. Call sdd_next for the next actions."],
  ["", " is not ready, and no agent works on it. Call sdd_next for the next actions."],
])("rejects a report for %j, which was never ready", (id, problem) => {
  const workshop = new Workshop().add(feature("a")).begin();
  const before = workshop.lead;
  expect(workshop.reportAs(id, { kind: "gate" })).toEqual({ kind: "refused", problems: [{ problem }], effects: [] });
  expect(workshop.lead).toBe(before);
});

test("counts rejected reports, and offers the action again after the third", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  workshop.handOut("a/architect/1");
  for (const refusals of [1, 2]) {
    expect(workshop.reportAs("a/architect/1", WRONG)).toMatchObject({
      problems: [{ problem: "a/architect/1 is for architect; a report of the kind tasks is not an answer to it." }],
    });
    expect(workshop.lead.out.get("a/architect/1")?.refusals).toBe(refusals);
  }
  expect(workshop.reportAs("a/architect/1", WRONG)).toMatchObject({
    kind: "refused",
    effects: [{ kind: "dismissed", action: "a/architect/1" }],
  });
  expect(workshop.feature("a").orchestration).toMatchObject({ retry_count: 1, total_count: 1, runs: { architect: 1 } });
  expect(workshop.due()).toEqual(["a/architect/2"]);
});

test("counts the reported cost of rejected reports too, and estimates only without one", () => {
  const workshop = new Workshop().add(feature("a")).begin({ cap: 1_000_000 });
  workshop.handOut("a/architect/1");
  const estimate = workshop.lead.out.get("a/architect/1")?.estimate ?? 0;
  const spentAfter = (tokens?: number): number => {
    workshop.reportAs("a/architect/1", WRONG, undefined, tokens);
    return workshop.lead.run.spent;
  };
  expect([spentAfter(100), spentAfter(20), spentAfter(3)]).toEqual([100, 120, 123]);
  workshop.handOut("a/architect/2");
  workshop.reportAs("a/architect/2", WRONG, undefined, 10);
  workshop.lose("a/architect/2");
  expect(workshop.lead.run.spent).toBe(123 + Math.max(estimate, 10));
});

test("asks the user after four failed runs", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  for (let run = 1; run <= 4; run++) {
    workshop.handOut(`a/architect/${run}`);
    for (let times = 1; times <= 3; times++) workshop.reportAs(`a/architect/${run}`, WRONG);
  }
  expect(workshop.feature("a").blocked_info?.detail).toBe(
    "a/architect/4 failed: a/architect/4 is for architect; a report of the kind tasks is not an answer to it.",
  );
});

test("repeats a question after any number of unclear answers", () => {
  const workshop = new Workshop().add(feature("a"), feature("b")).begin({ isGated: true });
  workshop.report("a/architect/1");
  workshop.review("a", "design");
  workshop.handOut("a/review-passed/B1");
  for (let times = 0; times < 4; times++) {
    expect(workshop.answer("a/review-passed/B1", "continu")).toMatchObject({
      problems: [
        {
          problem:
            '"continu" does not say which answer to a/review-passed/B1 is meant. Ask the user: continue or stop? Did you mean continue?',
        },
      ],
    });
  }
  expect(workshop.answer("a/review-passed/B1", " Continue ").kind).toBe("applied");
});

test("counts the reported cost, or the estimate without one", () => {
  const workshop = new Workshop().add(feature("a"), feature("b"), feature("c")).begin();
  workshop.handOut("a/architect/1", "one", 70);
  workshop.report("a/architect/1");
  workshop.handOut("b/architect/1", "one", 70);
  workshop.report("b/architect/1", {}, 5);
  workshop.handOut("c/architect/1", "one", 70);
  workshop.lose("c/architect/1");
  expect(workshop.lead.run.spent).toBe(145);
});

test("replaces a lost agent, and asks the user after the third in a row", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  for (const run of [1, 2]) {
    workshop.handOut(`a/architect/${run}`);
    expect(workshop.lose(`a/architect/${run}`).kind).toBe("applied");
    expect(workshop.lose(`a/architect/${run}`)).toEqual({ kind: "repeated" });
  }
  workshop.report("a/architect/3");
  expect(workshop.feature("a").orchestration.lost).toEqual({});
  workshop.review("a", "design");
  for (const run of [1, 2, 3]) {
    workshop.handOut(`a/tasks/${run}`);
    workshop.lose(`a/tasks/${run}`);
  }
  expect(workshop.feature("a").blocked_info?.detail).toBe("tasks was lost 3 times in a row: nobody answered");
});

test("rejects a loss of an agent that was not at work", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  expect(workshop.lose("a/architect/1")).toMatchObject({ kind: "refused" });
});

/** A review that has begun, with what is lost of it. */
function reviewing(): Workshop {
  const workshop = new Workshop().add(feature("a"), feature("b", { wave: 2, on: ["a"] })).begin();
  workshop.report("a/architect/1");
  workshop.beginReview({ review: "design", scope: { of: "feature", feature: "a" as never } });
  return workshop;
}

function loseThrice(workshop: Workshop, id: string): void {
  for (let times = 0; times < 3; times++) {
    workshop.handOut(id);
    workshop.lose(id);
  }
}

test("continues a review without an inspector that was lost three times, and names it to the auditor", () => {
  const workshop = reviewing();
  loseThrice(workshop, "a/design/B1/rulebase");
  expect(workshop.lead.reviews.get("a/design")?.missing).toEqual(["rulebase"]);
  workshop.review("a", "design");
  expect(workshop.effects.at(-1)).toMatchObject({
    kind: "batch",
    batch: { missing: ["rulebase"], verdict: "GO" },
  });
});

test("offers each view of a lost inspector as a separate action", () => {
  const workshop = reviewing();
  expect(workshop.action("a/design/B1/rulebase")).toMatchObject({ work: { views: ["rulebase", "consistency"] } });
  workshop.handOut("a/design/B1/rulebase");
  workshop.lose("a/design/B1/rulebase");
  const again = workshop.decide().actions.filter(({ id }) => /rulebase|consistency/.test(id));
  expect(again.map((action) => [action.id, action.kind === "spawn" && "views" in action.work])).toEqual([
    ["a/design/B1/rulebase", false],
    ["a/design/B1/consistency", false],
  ]);
});

test("asks the user when all inspectors or the auditor are lost", () => {
  const one = reviewing();
  for (const name of one.lead.reviews.get("a/design")?.inspectors ?? []) loseThrice(one, `a/design/B1/${name}`);
  expect(one.feature("a").blocked_info?.detail).toBe("Review B1 came to nothing: all inspectors were lost.");
  const other = reviewing();
  other.finish((now) => now.due().includes("a/design/B1/auditor"));
  loseThrice(other, "a/design/B1/auditor");
  expect(other.feature("a").blocked_info?.detail).toBe("Review B1 came to nothing: the auditor was lost 3 times.");
});

test("asks the user about a wave that no inspector can judge", () => {
  const workshop = new Workshop().add(feature("a"), feature("b")).begin().until("wave-1/impl");
  workshop.beginReview({ review: "impl", scope: { of: "wave", wave: 1 } });
  for (const name of workshop.lead.reviews.get("wave-1/impl")?.inspectors ?? [])
    loseThrice(workshop, `wave-1/impl/B1/${name}`);
  expect(workshop.due()).toEqual(["wave-1/wave-failed/1"]);
});

test("voids a review of files that changed meanwhile, and starts it again", () => {
  const workshop = reviewing();
  workshop.handOut("a/design/B1/testability");
  const applied = workshop.report("a/design/B1/rulebase", { facts: { frozen: "another" } });
  expect(applied).toEqual({
    kind: "refused",
    problems: [{ problem: "The reviewed files changed, so review B1 of a/design is void." }],
    effects: [{ kind: "dismissed", action: "a/design/B1/testability" }],
  });
  expect(workshop.lead.reviews.size).toBe(0);
  expect(workshop.due()).toContain("a/design");
  // Its number is not used again: who was at work on it comes too late.
  workshop.beginReview({ review: "design", scope: { of: "feature", feature: "a" as never } });
  expect(workshop.lead.reviews.get("a/design")?.batch).toBe("B2");
  expect(workshop.reportAs("a/design/B1/testability", { kind: "gate" })).toEqual({ kind: "repeated" });
});

test("runs the gate again when code changed under review", () => {
  const workshop = new Workshop().add(feature("a")).begin().until("a/impl");
  workshop.beginReview({ review: "impl", scope: { of: "feature", feature: "a" as never } });
  workshop.report("a/impl/B2/test", { facts: { frozen: "another" } });
  expect(workshop.due()).toEqual(["a/gate/2"]);
});

test.each([
  ["GO", {}, ["a/tasks/1"]],
  ["NO-GO", { verdict: "GO", verified: [finding({ severity: "C" })] }, ["a/architect/2"]],
] as const)("computes the verdict %s, whatever the auditor reports", (verdict, said, due) => {
  const workshop = reviewing();
  workshop.review("a", "design", said);
  expect(workshop.feature("a").reviews.design?.verdict).toBe(verdict);
  expect(workshop.due().filter((id) => id.startsWith("a/"))).toEqual(due);
});

test("assigns a fix to the groups that own the files", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  workshop.plans.set("a", [group("A", ["src/a.ts"]), group("B", ["src/b.ts"])]);
  workshop.until("a/impl");
  workshop.review("a", "impl", {
    verdict: "NO-GO",
    verified: [finding({ severity: "C", location: "src/b.ts:1-9" }), finding({ severity: "L", location: "src/a.ts" })],
  });
  expect(workshop.feature("a")).toMatchObject({
    phase: "implementation-complete",
    fix: { source: "impl", groups: ["B"] },
    implementation: { hash: null, groups: [{ status: "done" }, { status: "pending" }] },
    orchestration: { retry_count: 1 },
  });
  expect(workshop.action("a/build-B/2")).toMatchObject({ work: { isFix: true } });
  workshop.finish();
  expect(workshop.feature("a").reviews.implementation).toMatchObject({ batch: "B3", verdict: "GO" });
});

test("sends a wrong spec back to its design, at most twice", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  const spec_feedback = [{ part: "specifications", spec: "1", description: "Nobody can do both" }] as const;
  for (let times = 1; times <= 3; times++) {
    workshop.until("a/impl");
    workshop.review("a", "impl", { verdict: "SPEC-UPDATE-NEEDED", spec_feedback });
    if (times === 3) break;
    expect(workshop.feature("a")).toMatchObject({
      phase: "design-generated",
      fix: { source: "spec-update", detail: "Nobody can do both" },
      orchestration: { spec_update_count: times, total_count: times, last_phase_action: null },
      implementation: { groups: [], hash: null },
    });
    workshop.until("a/design");
  }
  expect(workshop.feature("a")).toMatchObject({
    phase: "blocked",
    orchestration: { spec_update_count: 2, total_count: 2 },
  });
  // The question shows what is wrong with the spec, not a count of findings.
  expect(workshop.action("a/escalation/1")).toMatchObject({ detail: expect.stringContaining("Nobody can do both") });
});

test("allows six fixes in total, whatever passed in between", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  const bad = { verdict: "NO-GO", verified: [finding({ severity: "C" })] } as const;
  for (let times = 1; times <= 6; times++) {
    workshop.until("a/design");
    workshop.review("a", "design", bad);
    workshop.until("a/design");
    workshop.review("a", "design");
    workshop.feed({ kind: "wanted", feature: "a" as never, goal: "design", isRedesign: true });
  }
  expect(workshop.feature("a").orchestration).toMatchObject({ retry_count: 0, total_count: 6 });
  workshop.until("a/design");
  workshop.review("a", "design", bad);
  expect(workshop.feature("a")).toMatchObject({ phase: "blocked", orchestration: { retry_count: 0, total_count: 6 } });
});
