import { INSPECTORS, type Role } from "../agent/role.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import type { ReviewKind } from "../review/finding.ts";
import type { Lead, WaveRecord } from "./lead/state.ts";
import { byPlace } from "./readiness.ts";
import { hasPassed, isAccepted, isBuilt, reached } from "./standing.ts";

/** If every review says GO, and if every review says no for as long as the caps let it. */
export interface Span {
  readonly best: number;
  readonly worst: number;
}

export interface WaveForecast {
  readonly wave: number;
  /** How many of its features are not accepted yet; blocked ones are not counted. */
  readonly features: number;
  readonly runs: Span;
  readonly tokens: Span;
  /** How many runs of each role. */
  readonly roles: ReadonlyMap<Role, Span>;
}

export interface Forecast {
  readonly waves: readonly WaveForecast[];
  readonly runs: Span;
  readonly tokens: Span;
  /** Features without tasks: how many Builders they need is not known yet. */
  readonly unplanned: readonly FeatureName[];
  /** In which wave the tokens of the run would be used up; nothing where there is no cap. */
  readonly cap: { readonly tokens: number; readonly best: number | null; readonly worst: number | null } | null;
}

/** Builders of a feature whose tasks are not known. */
const UNPLANNED: Span = { best: 1, worst: 4 };
const MOST_FIXES = 6;
const MOST_TRIES = 3;

/**
 * What is left of a run, wave by wave. The worst case is the dearest that the caps allow: each fix takes a feature through
 * everything again, and each gate says no three times. Runs that are lost are not foreseen.
 */
export function forecast(lead: Lead, estimate: (role: Role) => number, cap: number | null = lead.run.cap): Forecast {
  const planned = [...lead.features.values()].filter(({ roadmap }) => roadmap !== null).toSorted(byPlace);
  const hasGates = planned.length > 1;
  let builders = 0;
  const waves = [...Map.groupBy(planned, ({ roadmap }) => roadmap?.wave ?? 0)].map(([wave, records]) => {
    const bill = new Bill();
    const free = records.filter(({ phase }) => phase !== "blocked");
    const left = free.filter((record) => !isAccepted(record));
    for (const record of left) billFeature(bill, record);
    builders += summed(free.map(groupsOf)).worst;
    if (hasGates && free.length > 0) billGate(bill, lead.waves.get(wave), builders);
    return { wave, features: left.length, ...bill.total(estimate), roles: bill.roles };
  });
  const unplanned = planned.filter((record) => record.phase !== "blocked" && !isTasked(record)).map(nameOf);
  return {
    waves,
    runs: summed(waves.map(({ runs }) => runs)),
    tokens: summed(waves.map(({ tokens }) => tokens)),
    unplanned,
    cap: cap === null ? null : { tokens: cap, ...reachedIn(waves, cap - lead.run.spent) },
  };
}

/** The runs of each role, as they add up. */
class Bill {
  readonly roles = new Map<Role, Span>();

  add(role: Role, best: number, worst = best): void {
    const before = this.roles.get(role) ?? { best: 0, worst: 0 };
    if (worst > 0) this.roles.set(role, { best: before.best + best, worst: before.worst + worst });
  }

  addReview(kind: ReviewKind, best: number, worst = best): void {
    for (const inspector of INSPECTORS[kind]) this.add(`inspector-${inspector}`, best, worst);
    this.add(`auditor-${kind}`, best, worst);
  }

  total(estimate: (role: Role) => number): { runs: Span; tokens: Span } {
    const tokens = [...this.roles].map(([role, { best, worst }]) => {
      const each = estimate(role);
      return { best: best * each, worst: worst * each };
    });
    return { runs: summed([...this.roles.values()]), tokens: summed(tokens) };
  }
}

/** What a feature still goes through; a fix at the very end takes it through all of it. */
function billFeature(bill: Bill, record: FeatureRecord): void {
  const { design, reviews, orchestration, implementation } = record;
  const fixes = Math.max(0, MOST_FIXES - orchestration.total_count);
  const groups = groupsOf(record);
  const isToDesign = !isDesigned(record);
  const isToReview = isToDesign || !hasPassed(reviews.design, design?.hash);
  const isToPlan = !isTasked(record);
  const pending = isToPlan ? groups.best : implementation.groups.filter(({ status }) => status === "pending").length;
  const first = (isDue: boolean): number => (isDue ? 1 : 0);
  bill.add("architect", first(isToDesign), first(isToDesign) + fixes);
  bill.addReview("design", first(isToReview && !isBuilt(record)), first(isToReview && !isBuilt(record)) + fixes);
  bill.add("task-generator", first(isToPlan), first(isToPlan) + fixes);
  bill.add("builder", pending, (isToPlan ? groups.worst : pending) + fixes * groups.worst);
  bill.addReview("impl", 1, 1 + fixes);
}

/** Its reviews, each once or until it may not be tried again, and who mends in between what any wave up to it did. */
function billGate(bill: Bill, record: WaveRecord | undefined, builders: number): void {
  const step = record?.step ?? "cross-check";
  if (step === "cross-check") billTries(bill, "impl", record?.tries.cross_check ?? 0, builders);
  if (step === "cross-check" || step === "dead-code") {
    billTries(bill, "dead-code", record?.tries.dead_code ?? 0, builders);
  }
}

function billTries(bill: Bill, kind: ReviewKind, tried: number, builders: number): void {
  const left = Math.max(1, MOST_TRIES - tried);
  bill.addReview(kind, 1, left);
  bill.add("builder", 0, (left - 1) * builders);
}

function isDesigned(record: FeatureRecord): boolean {
  const source = record.fix?.source;
  return reached(record) !== "initialized" && source !== "design" && source !== "spec-update" && source !== "revise";
}

const isTasked = (record: FeatureRecord): boolean =>
  isDesigned(record) && record.orchestration.last_phase_action !== null && record.fix?.source !== "blocker";

const groupsOf = (record: FeatureRecord): Span => {
  const { length } = record.implementation.groups;
  return isTasked(record) || length > 0 ? { best: length, worst: length } : UNPLANNED;
};

const nameOf = (record: FeatureRecord): FeatureName => record.feature_name;

const summed = (spans: readonly Span[]): Span => ({
  best: spans.reduce((sum, { best }) => sum + best, 0),
  worst: spans.reduce((sum, { worst }) => sum + worst, 0),
});

function reachedIn(waves: readonly WaveForecast[], left: number): { best: number | null; worst: number | null } {
  const found: { best: number | null; worst: number | null } = { best: null, worst: null };
  const used = { best: 0, worst: 0 };
  for (const { wave, tokens } of waves) {
    used.best += tokens.best;
    used.worst += tokens.worst;
    if (used.best >= left) found.best ??= wave;
    if (used.worst >= left) found.worst ??= wave;
  }
  return found;
}
