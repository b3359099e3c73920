import { expect, test } from "vitest";
import { isFeatureAccepted, listChangedDependencies } from "#roadmap/model/feature-progress.ts";
import { applyLeadEvent } from "#roadmap/model/lead/apply-event.ts";
import { decideNextActions } from "#roadmap/model/lead/lead-decision.ts";
import type { Lead, LeadEvent } from "#roadmap/model/lead/lead-state.ts";
import { chance, isFull, seed } from "../kit/chance.ts";
import { createEmptyLead } from "../kit/features.ts";
import { anyMood, playRandomEvent, anyWorkshop, type Mood } from "../kit/lead-chance.ts";
import {
  brokenHandOut,
  listBrokenInvariants,
  brokenRefusal,
  reloadLead,
  withoutLedger,
  serializeLeadValue,
} from "../kit/lead-invariants.ts";
import type { Workshop } from "../kit/lead.ts";

const STEPS = isFull ? 120_000 : 4_000;
const MOST_IN_A_ROW = 150;

type Pick = (below: number) => number;

/** Questions that are asked again where nobody knows any more that they were answered. */
const FORGETTABLE = /\/(?:review-passed\/|wave-passed$|cap\/)/;

/** One roadmap, and how things go with it. */
interface Story {
  readonly workshop: Workshop;
  readonly mood: Mood;
  readonly pick: Pick;
}

function stepOnce({ workshop, mood, pick }: Story): void {
  const before = workshop.lead;
  const over = new Set(workshop.taken);
  const { event, applied } = playRandomEvent(workshop, pick, mood);
  const after = workshop.lead;
  const broken = [
    ...brokenNow(workshop),
    ...brokenRefusal(before, after, event, applied),
    ...brokenHandOut(after, event, applied),
  ];
  const isTakenTwice = event.kind === "reported" && over.has(event.action) && applied.kind !== "repeated";
  if (isTakenTwice) broken.push(`${event.action} was imported before and is ${applied.kind} now`);
  if (applied.kind === "repeated" && after !== before) broken.push(`${event.kind} came again and changed something`);
  expect(broken).toEqual([]);
  if (event.kind === "feature-removed" && applied.kind === "applied") forget(workshop.taken, event.feature);
}

function brokenNow({ lead, taken }: Workshop): string[] {
  const again = decideNextActions(lead).actions.filter(({ id }) => taken.has(id));
  return [...listBrokenInvariants(lead), ...again.map(({ id }) => `${id} was taken and is due again`)];
}

/** Whoever is gone may come again under the same name. */
function forget(taken: Set<string>, name: string): void {
  for (const id of taken) if (id.startsWith(`${name}/`)) taken.delete(id);
}

/** For a while all goes well, so that stories get somewhere. How many steps that took. */
function goWell({ workshop, pick }: Story): number {
  let left = pick(60);
  return workshop.finish((one) => {
    expect(brokenNow(one)).toEqual([]);
    left -= 1;
    return left < 0;
  });
}

/** Written down and read again, or without its ledger, it is as it was: nothing that is done comes again. */
function seeResumed({ workshop }: Story): void {
  const { lead, taken } = workshop;
  expect(serializeLeadValue(decideNextActions(reloadLead(lead)))).toBe(serializeLeadValue(decideNextActions(lead)));
  if (!lead.run.isOn) return;
  const { isGated, cap, onOverlap } = lead.run;
  const { lead: resumed } = applyLeadEvent(withoutLedger(lead), { kind: "run-begun", isGated, cap, onOverlap });
  const due = decideNextActions(resumed);
  expect(due.actions.map(({ id }) => id).filter((id) => taken.has(id) && !FORGETTABLE.test(id))).toEqual([]);
  const known = new Set([
    ...decideNextActions(lead).reviews.map((one) => JSON.stringify(one.scope)),
    ...scopesOut(lead),
  ]);
  expect(due.reviews.filter(({ scope }) => scope.of === "feature" && !known.has(JSON.stringify(scope)))).toEqual([]);
}

/** What is reviewed or mended, or waits for a question, a cap or somebody at work. */
const scopesOut = (lead: Lead): string[] => [
  ...[...lead.reviews.values()].map(({ scope }) => JSON.stringify(scope)),
  ...(lead.out.size > 0 || lead.run.cap !== null
    ? [...lead.features.keys()].map((feature) => JSON.stringify({ of: "feature", feature }))
    : []),
];

/** The same events from the start come to the same, however often they are told. */
function seeReplayed({ workshop: { log, lead } }: Story, prefix: { length: number; lead: Lead }): void {
  const upTo = log.slice(0, prefix.length).reduce(after, createEmptyLead());
  expect(serializeLeadValue(upTo)).toBe(serializeLeadValue(prefix.lead));
  expect(serializeLeadValue(log.slice(prefix.length).reduce(after, upTo))).toBe(serializeLeadValue(lead));
}

const after = (lead: Lead, event: LeadEvent): Lead => applyLeadEvent(lead, event).lead;

/** From wherever it is, if all goes well from now on, it comes to its end. */
function seeFinished({ workshop }: Story): void {
  const copy = workshop.copy();
  const { isGated, onOverlap } = copy.lead.run;
  copy.feed({ kind: "run-begun", isGated, cap: null, onOverlap });
  const steps = copy.finish();
  expect(steps).toBeLessThan(200 * (1 + copy.lead.features.size));
  const unfinished = [...copy.lead.features.values()].filter(
    (record) => record.roadmap && !isFeatureAccepted(record) && !record.blocked_info?.is_skipped,
  );
  expect(unfinished.map(({ feature_name: name, blocked_info }) => [name, blocked_info])).toEqual([]);
  const unseen = [...copy.lead.features.values()].filter(
    (record) => record.roadmap && listChangedDependencies(copy.lead.features, record).length > 0,
  );
  expect(unseen.map(({ feature_name: name }) => `${name} was not looked at with what it is built on`)).toEqual([]);
  expect({ out: copy.lead.out.size, goals: copy.lead.run.goals }).toEqual({ out: 0, goals: {} });
}

test(
  `the Lead keeps its rules through any events in any order (TENON_SEED=${seed}, ${STEPS} steps)`,
  { timeout: isFull ? 3_600_000 : 60_000 },
  () => {
    let steps = 0;
    for (let round = 0; steps < STEPS; round++) {
      const pick = chance(seed + round);
      const workshop = anyWorkshop(pick);
      const story: Story = { workshop, mood: anyMood(pick), pick };
      const length = pick(MOST_IN_A_ROW);
      const mark = pick(length + 1);
      let prefix = { length: workshop.log.length, lead: workshop.lead };
      const tell = (): string => `round ${round}: ${last(workshop.log)}`;
      try {
        for (let i = 0; i < length; i++, steps++) {
          if (pick(20) === 0) steps += goWell(story);
          stepOnce(story);
          if (i === mark) prefix = { length: workshop.log.length, lead: workshop.lead };
          if (pick(10) === 0) seeResumed(story);
        }
        seeReplayed(story, prefix);
        seeFinished(story);
      } catch (error) {
        throw new Error(`TENON_SEED=${seed}, ${tell()}`, { cause: error });
      }
    }
    expect(steps).toBeGreaterThanOrEqual(STEPS);
  },
);

const last = (log: readonly LeadEvent[]): string => JSON.stringify(log.slice(-3));
