import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import { Workshop } from "../../../../test/kit/lead.ts";
import { estimateRoleTokens } from "../agent/agent-roles.ts";

const ARCHITECT = estimateRoleTokens("architect");
const INSPECTOR = estimateRoleTokens("inspector-rulebase");
/** An inspector with a second view. */
const PANEL = estimateRoleTokens("inspector-rulebase", ["rulebase", "consistency"]);

/** Three features, and a run that may cost so much. */
const running = (cap: number): Workshop => new Workshop().add(feature("a"), feature("b"), feature("c")).begin({ cap });

/** Those that are due, handed out as estimated. */
function handOutAll(workshop: Workshop): string[] {
  const { actions } = workshop.decide();
  for (const { id } of actions) expect(workshop.handOut(id, "one", ARCHITECT).kind).toBe("applied");
  return actions.map(({ id }) => id);
}

test("assigns only as much at once as the cap allows by the estimates, and names the rest", () => {
  const workshop = running(2 * ARCHITECT);
  expect(workshop.decide()).toMatchObject({
    actions: [{ id: "a/architect/1" }, { id: "b/architect/1" }],
    withheld: ["c/architect/1"],
    idle: null,
  });
  expect(handOutAll(workshop)).toEqual(["a/architect/1", "b/architect/1"]);
  expect(workshop.decide()).toMatchObject({
    actions: [],
    idle: "2 actions are under way. The run may cost 156,000 tokens, of which 0 are spent and 156,000 reserved for running agents; held back: c/architect/1.",
  });
  expect(workshop.handOut("c/architect/1")).toMatchObject({
    kind: "refused",
    problems: [
      {
        problem:
          "c/architect/1 is held back: the run may cost 156,000 tokens, of which 0 are spent and 156,000 reserved for running agents.",
      },
    ],
  });
});

test("uses what an action cost less than its estimate for others", () => {
  const workshop = running(2 * ARCHITECT);
  handOutAll(workshop);
  workshop.report("a/architect/1", {}, 1_000);
  expect(workshop.lead.run.spent).toBe(1_000);
  expect(workshop.decide().withheld).toEqual(["c/architect/1"]);
  expect(workshop.due()).toEqual(["a/design"]);
  workshop.report("b/architect/1", {}, 1_000);
  expect(workshop.due()).toEqual(["c/architect/1", "a/design", "b/design"]);
});

test("starts a review only if it can pay for an inspector, and adds inspectors as it can pay for them", () => {
  const workshop = running(ARCHITECT + INSPECTOR - 1);
  workshop.report("a/architect/1", {}, ARCHITECT);
  expect(workshop.decide()).toMatchObject({ reviews: [], withheld: ["b/architect/1", "c/architect/1", "a/design"] });
  workshop.begin({ cap: ARCHITECT + PANEL + INSPECTOR });
  expect(workshop.due()).toEqual(["a/design"]);
  workshop.beginReview(workshop.decide().reviews[0] as never);
  expect(workshop.due()).toEqual(["a/design/B1/rulebase"]);
});

test("rejects an estimate above the remaining cap", () => {
  const workshop = running(ARCHITECT);
  expect(workshop.handOut("a/architect/1", "one", ARCHITECT + 1).kind).toBe("refused");
  expect(workshop.handOut("a/architect/1", "one", ARCHITECT).kind).toBe("applied");
});

test("asks the user when no agent works and nothing fits the cap, and continues free actions", () => {
  const workshop = new Workshop().add(feature("a", { wave: 1 }), feature("b", { wave: 1 })).begin();
  workshop.until("a/gate/1");
  const { spent } = workshop.lead.run;
  workshop.begin({ cap: spent + 1 });
  expect(workshop.due()).toEqual(["run/cap/1", "a/gate/1"]);
  expect(workshop.action("run/cap/1")).toMatchObject({
    choices: ["raise", "stop"],
    detail: expect.stringMatching(
      /^The run has cost 0 of 1 tokens\. 1 action waits, the cheapest for [\d,]+\. raise: say the new total, as "raise 2M"\. stop: the run stops and can continue later\.$/,
    ),
  });
  workshop.handOut("run/cap/1");
  workshop.handOut("a/gate/1");
  expect(workshop.decide().idle).toMatch(
    /^2 actions are under way\. .*held back: b\/\S+\. The user was asked for more\.$/,
  );
});

test("does not ask for a higher cap when the remaining actions are free", () => {
  const workshop = new Workshop().add(feature("a")).begin();
  workshop.until("wave-1/commit");
  workshop.begin({ cap: 1 });
  expect(workshop.due()).toEqual(["wave-1/commit"]);
});

test.each([
  ["to a number", "raise", "to 500k tokens", { cap: 500_000, isOn: true }],
  ["to a number with separators", "raise", "101,000 please", { cap: 101_000, isOn: true }],
  ["not at all and stops the run", "stop", "", { isOn: false, stopped: "The run reached its cap." }],
])("the user raises the cap %s", (_, choice, said, run) => {
  const workshop = new Workshop().add(feature("a")).begin({ cap: ARCHITECT });
  workshop.report("a/architect/1", {}, 71_000);
  expect(workshop.due()).toEqual(["run/cap/1"]);
  expect(workshop.answer("run/cap/1", choice, said).kind).toBe("applied");
  expect(workshop.lead.run).toMatchObject(run);
  expect(workshop.answer("run/cap/1", choice, said)).toEqual({ kind: "repeated" });
});

test.each([[null], [500_000]])("a new cap of %s answers the open question about the old one", (cap) => {
  const workshop = new Workshop().add(feature("a")).begin({ cap: ARCHITECT });
  workshop.report("a/architect/1", {}, 71_000);
  workshop.handOut("run/cap/1");
  workshop.begin({ cap });
  expect([...workshop.lead.out.keys()]).toEqual([]);
  expect(workshop.answer("run/cap/1", "stop", "")).toEqual({ kind: "repeated" });
  expect(workshop.lead.run).toMatchObject({ isOn: true, cap });
});

test.each(["", "a lot", "100,999"])("rejects %j as a cap, since no agent could start with it", (said) => {
  const workshop = new Workshop().add(feature("a")).begin({ cap: ARCHITECT });
  workshop.report("a/architect/1", {}, 71_000);
  expect(workshop.answer("run/cap/1", "raise", said)).toMatchObject({
    problems: [{ problem: "Give the total of tokens that the run may cost, at least 101000: raise, 202000." }],
  });
});

test.each<[string, number | null, number]>([
  ["with the same cap", 100_000, 71_000],
  ["with none", null, 71_000],
  ["with a new cap, which counts from then on", 90_000, 0],
])("continues a stopped run %s", (_, cap, spent) => {
  const workshop = new Workshop().add(feature("a"), feature("b")).begin({ cap: 100_000 });
  workshop.report("a/architect/1", {}, 71_000);
  workshop.feed({ kind: "run-stopped", why: "Lunch" });
  workshop.begin({ cap });
  expect(workshop.lead.run).toMatchObject({ isOn: true, cap, spent });
  expect(workshop.due().includes("run/cap/1")).toBe(cap === 100_000);
});

test("applies a new cap during a run to the whole run", () => {
  const workshop = running(100_000);
  workshop.report("a/architect/1", {}, 71_000);
  workshop.begin({ cap: 200_000 });
  expect(workshop.lead.run).toMatchObject({ cap: 200_000, spent: 71_000 });
});

test("starts the count again for the next roadmap", () => {
  const workshop = new Workshop().add(feature("a")).begin({ cap: 100_000 });
  workshop.report("a/architect/1", {}, 71_000);
  workshop.feed({ kind: "run-stopped", why: "Enough" });
  workshop.feed({ kind: "feature-removed", feature: "a" as never });
  workshop.add(feature("z")).begin({ cap: 100_000 });
  expect(workshop.lead.run.spent).toBe(0);
});
