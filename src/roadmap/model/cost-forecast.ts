import * as z from "zod/mini";
import { listConsensusInspectors } from "./review/consensus.ts";
import { countNumber, type Immutable } from "#kernel/model/record-schema.ts";
import {
  getInspectorRole,
  pickPanelLead,
  planReviewPanels,
  REVIEW_INSPECTORS,
  type RoadmapRole,
} from "./agent/agent-roles.ts";
import { compareRoadmapPosition } from "./dependency-graph.ts";
import {
  isFeatureAccepted,
  isFeatureDesigned,
  isPastDesignReview,
  listChangedDependencies,
} from "./feature-progress.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { MAX_TOTAL_FIXES } from "./lead/lead-draft.ts";
import type { Lead } from "./lead/lead-state.ts";
import { createWaveRecord, formatWaveHead, joinReviewKey, MAX_GATE_TRIES } from "./lead/lead-view.ts";
import type { ReviewKind } from "./review/review-kinds.ts";

/** `best`: every review passes. `worst`: every review fails as often as the limits allow. */
export interface ForecastRange {
  readonly best: number;
  readonly worst: number;
}

export type CostForecast = ReturnType<typeof forecastRunCost>;

/** Forecasts the rest of a run, wave by wave, without lost runs, invalidated designs and reopened waves. */
export function forecastRunCost(
  lead: Lead,
  estimate: (role: RoadmapRole) => number,
  cap: number | null = lead.run.cap,
  copies = lead.run.consensus ?? 1,
) {
  const planned = [...lead.features.values()]
    .filter(({ roadmap }) => roadmap !== null)
    .toSorted(compareRoadmapPosition);
  const hasGates = planned.length > 1;
  let builders = 0;
  const waves = [...Map.groupBy(planned, ({ roadmap }) => roadmap?.wave ?? 0)].map(([wave, records]) => {
    const bill = new RoleRunTally(lead, copies);
    const free = records.filter(({ phase }) => phase !== "blocked");
    const left = free.filter((record) => !isFeatureAccepted(record));
    const gate = hasGates && free.length > 0 ? (lead.waves.get(wave) ?? createWaveRecord(wave)) : undefined;
    for (const record of left) tallyFeatureSteps(bill, record);
    for (const record of free)
      if (listChangedDependencies(lead.features, record).length > 0) bill.addReview("impl", record.feature_name, 1);
    const mayCascade = gate?.step === "cross-check" && free.length > 1 && gate.tries.cross_check < MAX_GATE_TRIES - 1;
    // A cross-check may request a spec update for a feature that is already accepted.
    for (const record of mayCascade ? free : left) {
      // Assumes that each fix restarts at the design.
      const fixes = Math.max(0, MAX_TOTAL_FIXES - record.orchestration.total_count);
      bill.add("architect", 0, fixes);
      bill.addReview("design", record.feature_name, 0, fixes);
      bill.add("task-generator", 0, fixes);
      bill.add("builder", 0, fixes * estimateBuilderCount(record).worst);
      bill.addReview("impl", record.feature_name, 0, fixes);
    }
    builders += sumForecastRanges(free.map(estimateBuilderCount)).worst;
    const head = formatWaveHead(wave);
    if (gate?.step === "cross-check" && free.length > 1)
      tallyGateTries(bill, head, "impl", gate.tries.cross_check, builders);
    if (gate?.step === "cross-check" || gate?.step === "dead-code")
      tallyGateTries(bill, head, "dead-code", gate.tries.dead_code, builders);
    /** `features` are not accepted yet. Blocked features do not count. */
    return { wave, features: left.length, ...bill.total(estimate), roles: bill.roles };
  });
  // Their number of Builders is an estimate.
  const unplanned = planned.filter((record) => record.phase !== "blocked" && !hasPlannedTasks(record));
  const findCapWave = (which: keyof ForecastRange, most: number): number | null => {
    let used = lead.run.spent;
    return waves.find(({ tokens }) => (used += tokens[which]) > most)?.wave ?? null;
  };
  return {
    waves,
    runs: sumForecastRanges(waves.map(({ runs }) => runs)),
    tokens: sumForecastRanges(waves.map(({ tokens }) => tokens)),
    unplanned: unplanned.map((record) => record.feature_name),
    /** The wave in which the run would exceed its token cap; null without a cap or if it never does. */
    cap: cap === null ? null : { tokens: cap, best: findCapWave("best", cap), worst: findCapWave("worst", cap) },
  };
}

class RoleRunTally {
  readonly roles = new Map<RoadmapRole, ForecastRange>();
  readonly #open: Lead["reviews"];
  readonly #copies: number;

  constructor({ reviews }: Lead, copies: number) {
    this.#open = reviews;
    this.#copies = copies;
  }

  add(role: RoadmapRole, best: number, worst = best): void {
    const before = this.roles.get(role) ?? { best: 0, worst: 0 };
    if (worst > 0) this.roles.set(role, { best: before.best + best, worst: before.worst + worst });
  }

  /** A review in progress costs only the inspectors that have not reported. */
  addReview(kind: ReviewKind, head: string, best: number, worst = best): void {
    const open = best > 0 ? this.#open.get(joinReviewKey(head, kind)) : undefined;
    const inspectors = listConsensusInspectors(REVIEW_INSPECTORS[kind], this.#copies);
    for (const panel of open?.panels ?? planReviewPanels(inspectors, false)) {
      const lead = pickPanelLead(panel);
      const isOver = open !== undefined && (lead in open.inspections || open.missing.includes(lead));
      this.add(getInspectorRole(lead), best - (isOver ? 1 : 0), worst - (isOver ? 1 : 0));
    }
    this.add(`auditor-${kind}`, best, worst);
  }

  total(estimate: (role: RoadmapRole) => number): { runs: ForecastRange; tokens: ForecastRange } {
    const tokens = [...this.roles].map(([role, { best, worst }]) => {
      const each = estimate(role);
      return { best: best * each, worst: worst * each };
    });
    return { runs: sumForecastRanges([...this.roles.values()]), tokens: sumForecastRanges(tokens) };
  }
}

function tallyFeatureSteps(bill: RoleRunTally, record: FeatureRecord): void {
  const { feature_name: name, implementation } = record;
  const groups = estimateBuilderCount(record);
  const isToPlan = !hasPlannedTasks(record);
  const pending = implementation.groups.filter(({ status }) => status === "pending").length;
  if (!isFeatureDesigned(record)) bill.add("architect", 1);
  if (!isPastDesignReview(record)) bill.addReview("design", name, 1);
  if (isToPlan) bill.add("task-generator", 1);
  bill.add("builder", isToPlan ? groups.best : pending, isToPlan ? groups.worst : pending);
  bill.addReview("impl", name, 1);
}

/** A gate's review, repeated up to its limit, and the Builders that fix findings in any wave up to this one. */
function tallyGateTries(bill: RoleRunTally, head: string, kind: ReviewKind, tried: number, builders: number): void {
  const left = Math.max(1, MAX_GATE_TRIES - tried);
  bill.addReview(kind, head, 1, left);
  bill.add("builder", 0, (left - 1) * builders);
}

const hasPlannedTasks = (record: FeatureRecord): boolean =>
  isFeatureDesigned(record) && record.orchestration.last_phase_action !== null && record.fix?.source !== "blocker";

function estimateBuilderCount(record: FeatureRecord): ForecastRange {
  const { length } = record.implementation.groups;
  return hasPlannedTasks(record) || length > 0 ? { best: length, worst: length } : { best: 1, worst: 4 };
}

const sumForecastRanges = (spans: readonly ForecastRange[]): ForecastRange => ({
  best: spans.reduce((sum, { best }) => sum + best, 0),
  worst: spans.reduce((sum, { worst }) => sum + worst, 0),
});

export const SpendingTotals = z.object({
  runs: countNumber,
  estimated: z.number(),
  /** `reports` counts the runs with a reported cost. `expected` is their estimate, `reported` their actual cost. */
  reports: countNumber,
  expected: z.number(),
  reported: z.number(),
});
export type SpendingTotals = Immutable<z.infer<typeof SpendingTotals>>;

/** `ratio` is reported cost divided by the estimate for the same runs; null without reports. */
export function summarizeSpending(entries: readonly SpendingTotals[]): SpendingTotals & { ratio: number | null } {
  const sum = (of: keyof SpendingTotals): number => entries.reduce((total, entry) => total + entry[of], 0);
  const [expected, reported] = [sum("expected"), sum("reported")];
  const told = { runs: sum("runs"), estimated: sum("estimated"), reports: sum("reports"), expected, reported };
  return { ...told, ratio: expected > 0 ? reported / expected : null };
}

/** Fewer reported runs say nothing about the next ones. */
const MIN_CALIBRATING_REPORTS = 3;

/** Estimates by what earlier runs of the role cost here; with too few of them, by what all runs cost. */
export function calibrateEstimate(
  estimate: (role: RoadmapRole) => number,
  spending: ReadonlyMap<string, SpendingTotals>,
): (role: RoadmapRole) => number {
  const getRatio = (entries: readonly SpendingTotals[]): number | null => {
    const { reports, ratio } = summarizeSpending(entries);
    return reports >= MIN_CALIBRATING_REPORTS ? ratio : null;
  };
  const all = getRatio([...spending.values()]) ?? 1;
  return (role) => {
    const own = spending.get(role);
    return Math.round(estimate(role) * ((own && getRatio([own])) ?? all));
  };
}
