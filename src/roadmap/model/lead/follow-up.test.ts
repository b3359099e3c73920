import { expect, test } from "vitest";
import { feature, createTestLead } from "../../../../test/kit/features.ts";
import { finding, Workshop } from "../../../../test/kit/lead.ts";
import { estimateRoleTokens, planReviewPanels, REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import { forecastRunCost } from "../cost-forecast.ts";
import { listFeatureReadiness } from "../feature-readiness.ts";
import { listChangedDependencies } from "../feature-progress.ts";

const REVISED = { kind: "revised", feature: "tides" as never, intent: "In centimetres" } as const;
const forecastOf = ({ lead }: Workshop) => forecastRunCost(lead, estimateRoleTokens).waves.map(({ runs }) => runs.best);

/** `tides`, `table` that is built on it, and `print` that is built on `table`: all done, then `tides` is made anew. */
function revised(said: { isGated?: boolean } = {}): Workshop {
  const workshop = new Workshop()
    .add(feature("tides"), feature("table", { wave: 2, on: ["tides"] }), feature("print", { wave: 3, on: ["table"] }))
    .begin(said);
  workshop.finish();
  workshop.feed(REVISED);
  expect(workshop.due()).toEqual(["tides/architect/2"]);
  workshop.finish((one) => one.due().some((id) => id.startsWith("table/") || id.startsWith("wave-")));
  return workshop;
}

const changed = (workshop: Workshop, name: string): unknown =>
  listChangedDependencies(workshop.lead.features, workshop.feature(name));

test("in a run, reviews only the features built on a redesigned one", () => {
  const workshop = revised();
  expect(workshop.due()).toEqual(["wave-1/gate/2", "table/impl"]);
  expect([changed(workshop, "table"), changed(workshop, "print")]).toEqual([["tides"], []]);
  expect(listFeatureReadiness(workshop.lead)[1]?.steps["implementation review"]).toEqual({ is: "ready" });
  const before = forecastOf(workshop);
  workshop.review("table", "impl");
  expect(changed(workshop, "table")).toEqual([]);
  expect(forecastOf(workshop)[1]).toBe((before[1] ?? 0) - (planReviewPanels(REVIEW_INSPECTORS.impl, false).length + 1));
  workshop.finish();
  expect(workshop.decide().idle).toBe("Everything is done: 3 features are done.");
});

test("assigns a fix for the findings, and checks the wave again", () => {
  const workshop = revised();
  workshop.review("table", "impl", {
    verdict: "NO-GO",
    verified: [finding({ severity: "C", location: "src/table.ts" })],
  });
  expect(workshop.feature("table").fix).toMatchObject({ source: "impl", groups: ["A"] });
  expect(workshop.lead.waves.get(2)?.step).toBe("cross-check");
  workshop.finish();
  expect(changed(workshop, "table")).toEqual([]);
  expect(workshop.lead.waves.get(2)?.step).toBe("done");
});

test("offers the review also without the ledger", () => {
  const workshop = revised();
  workshop.lead = createTestLead([...workshop.lead.features.values()], { waves: workshop.lead.waves });
  expect(workshop.due()).toContain("table/impl");
});

test.each([
  ["re-review", "table/impl"],
  ["re-implement", "table/build-A/2"],
  ["skip", undefined],
])("with --gate, follows the user's choice: %s", (choice, due) => {
  const workshop = revised({ isGated: true });
  expect(workshop.action("table/follow-up/1")).toMatchObject({
    choices: ["re-review", "re-implement", "skip"],
    detail: "table is built on tides, which has a new design. Review table again, build it again, or leave it.",
  });
  workshop.answer("table/follow-up/1", choice, "So be it");
  expect(workshop.effects.findLast(({ kind }) => kind === "decision")).toMatchObject({
    type: "USER_DECISION",
    summary: `table: ${choice}`,
    reason: "So be it",
  });
  expect(workshop.due().filter((id) => id.startsWith("table/"))).toEqual(due === undefined ? [] : [due]);
  workshop.finish();
  expect(workshop.decide().idle).toBe("Everything is done: 3 features are done.");
  expect(workshop.feature("table").orchestration.runs["follow-up"]).toBe(1);
});

test("outside a run, starts nothing", () => {
  const workshop = new Workshop().add(feature("tides"), feature("table", { wave: 2, on: ["tides"] })).begin();
  workshop.finish();
  workshop.feed({ kind: "run-stopped", why: "Enough" });
  workshop.feed(REVISED);
  workshop.finish();
  expect(workshop.due()).toEqual([]);
  expect(changed(workshop, "table")).toEqual(["tides"]);
  workshop.begin();
  expect(workshop.due()).toContain("table/impl");
});
