import { expect, test } from "vitest";
import { forecastRunCost } from "#roadmap/model/cost-forecast.ts";
import type { LeadAction, Lead } from "#roadmap/model/lead/lead-state.ts";
import { decideNextActions } from "#roadmap/model/lead/lead-decision.ts";
import { type FeatureReadiness, listFeatureReadiness, FEATURE_STEPS } from "#roadmap/model/feature-readiness.ts";
import { chance, isFull, seed } from "../kit/chance.ts";
import { feature } from "../kit/features.ts";
import { anyMood, playRandomEvent, anyWorkshop } from "../kit/lead-chance.ts";
import { audit, finding, type Told, Workshop } from "../kit/lead.ts";

const ROUNDS = isFull ? 2_000 : 60;
const MOST_IN_A_ROW = 120;

/** `user-login design`: a step of a feature that somebody is asked for. */
function listSteps(action: LeadAction): string[] {
  if (action.kind === "gate") return [`${action.feature} implementation`];
  if (action.kind !== "spawn" || action.work.of === "review") return [];
  return [`${action.work.feature} ${action.work.of === "design" ? "design" : "implementation"}`];
}

/** The steps of features that the Lead wants to be done now. */
function due(lead: Lead): string[] {
  const { actions, reviews } = decideNextActions(lead);
  const begun = reviews.flatMap(({ review, scope }) =>
    scope.of === "feature" ? [`${scope.feature} ${review === "design" ? "design" : "implementation"} review`] : [],
  );
  return [...new Set([...actions.flatMap(listSteps), ...begun])].toSorted();
}

/** The steps that the table has for these: `user-login design`. */
const selectSteps = (rows: readonly FeatureReadiness[], ...standings: readonly string[]): string[] =>
  rows.flatMap((row) =>
    FEATURE_STEPS.filter((step) => standings.includes(row.steps[step].is)).map((step) => `${row.feature} ${step}`),
  );

/** What the table and the Lead say otherwise. */
function disagreements(lead: Lead): string[] {
  const rows = listFeatureReadiness(lead);
  const wanted = new Set(due(lead));
  // Some groups of a feature may be at work while others are due.
  const free = new Set(selectSteps(rows, "ready", "out"));
  const late = [...wanted].filter((step) => !free.has(step)).map((step) => `${step} is due`);
  const isFree = lead.run.isOn && lead.run.cap === null;
  const inRun = rows.filter(({ wave }) => isFree && wave !== null);
  const early = selectSteps(inRun, "ready").filter((step) => !wanted.has(step));
  return [...late, ...early.map((step) => `${step} is not due`)];
}

test(`the readiness table agrees with the Lead's decisions (TENON_SEED=${seed})`, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const pick = chance(seed + round);
    const workshop = anyWorkshop(pick);
    const mood = anyMood(pick);
    for (let left = pick(MOST_IN_A_ROW); left > 0; left--) {
      playRandomEvent(workshop, pick, mood);
      expect({ round, left, told: disagreements(workshop.lead) }).toEqual({ round, left, told: [] });
    }
  }
});

/** Lets all go well from here on, and counts who was asked for. */
function runsToTheEnd(workshop: Workshop): number {
  const asked = new Set<string>();
  workshop.finish(({ lead }) => {
    const { actions, out } = decideNextActions(lead);
    for (const action of [...actions, ...out.map((each) => each.action)]) {
      if (action.kind === "spawn") asked.add(action.id);
    }
    return false;
  });
  return asked.size;
}

/** A roadmap of which all went well so far, each feature with one group and files of its own. */
function honest(pick: (below: number) => number): Workshop {
  const workshop = anyWorkshop(pick);
  workshop.plans.clear();
  const { isGated } = workshop.lead.run;
  workshop.feed({ kind: "run-begun", isGated, cap: null });
  let left = pick(150);
  workshop.finish(() => left-- === 0);
  return workshop;
}

test(`takes exactly the runs of the best forecast if everything passes (TENON_SEED=${seed})`, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const workshop = honest(chance(seed + round));
    const { best, worst } = forecastRunCost(workshop.lead, () => 1).runs;
    const takes = runsToTheEnd(workshop);
    expect({ round, best }).toEqual({ round, best: takes });
    expect(worst).toBeGreaterThanOrEqual(best);
  }
});

/** An auditor who says no as often as not, and agents who mend what they are told to. */
function hardly(workshop: Workshop, action: LeadAction, pick: (below: number) => number): Partial<Told> {
  if (action.kind === "ask") {
    const choice = action.question === "escalation" ? "skip" : undefined;
    return choice ? { report: { kind: "answer", choice, said: "" } } : {};
  }
  if (action.kind === "gate" && pick(3) === 0) {
    return { facts: { build: workshop.built(action.feature, "failed") } };
  }
  if (action.kind !== "spawn" || !action.role.startsWith("auditor-") || pick(2) === 0) return {};
  const names = [...workshop.lead.features.keys()];
  const name = names[pick(names.length)] ?? "";
  const isSpec = action.role === "auditor-impl" && pick(2) === 0;
  const spec_feedback = [{ part: "design", spec: `${name} Spec 1`, description: "It cannot be built" }] as const;
  const verified = [finding({ severity: "C", location: `src/${name}.ts:1` })];
  const said = isSpec
    ? { verdict: "SPEC-UPDATE-NEEDED" as const, spec_feedback }
    : { verdict: "NO-GO" as const, verified };
  return { report: { kind: "audit", audit: audit(said) } };
}

test(`takes no more runs than the worst forecast, however often reviews and gates fail (TENON_SEED=${seed})`, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const pick = chance(seed + round);
    const workshop = new Workshop();
    for (let i = pick(6); i >= 0; i--) workshop.add(feature(`f${i}`));
    workshop.begin();
    let left = pick(150);
    workshop.finish(() => left-- === 0);
    const { worst } = forecastRunCost(workshop.lead, () => 1).runs;
    const asked = new Set<string>();
    for (let action = getNext(workshop); action !== undefined; action = getNext(workshop)) {
      if (action.kind === "spawn") asked.add(action.id);
      workshop.report(action.id, hardly(workshop, action, pick));
    }
    expect({ round, isWithin: asked.size <= worst }).toEqual({ round, isWithin: true });
  }
});

/** What is due next, once every review that is due has begun. */
function getNext(workshop: Workshop): LeadAction | undefined {
  for (let [review] = workshop.decide().reviews; review; [review] = workshop.decide().reviews) {
    workshop.beginReview(review);
  }
  const { actions, out } = workshop.decide();
  return actions[0] ?? out[0]?.action;
}
