import { INSPECTORS, type Role } from "../agent/role.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord } from "../feature/record.ts";
import type { ReviewKind } from "../review/finding.ts";
import { byPlace } from "./graph.ts";
import { MOST_IN_TOTAL } from "./lead/changes/counters.ts";
import { reviewKeyOf, waveHead } from "./lead/ids.ts";
import { MOST_TRIES, newWave } from "./lead/next/wave.ts";
import type { Lead, WaveRecord } from "./lead/state.ts";
import { changedUnder, isAccepted, isDesigned, isPastDesignReview } from "./standing.ts";

/** `best`: every review passes. `worst`: every review fails as often as the limits allow. */
export interface Span {
  readonly best: number;
  readonly worst: number;
}

interface WaveForecast {
  readonly wave: number;
  /** Features that are not accepted yet. Blocked features do not count. */
  readonly features: number;
  readonly runs: Span;
  readonly tokens: Span;
  readonly roles: ReadonlyMap<Role, Span>;
}

export interface Forecast {
  readonly waves: readonly WaveForecast[];
  readonly runs: Span;
  readonly tokens: Span;
  /** Features without tasks. Their number of Builders is an estimate. */
  readonly unplanned: readonly FeatureName[];
  /** The wave in which the run would exceed its token cap; null without a cap or if it never does. */
  readonly cap: { readonly tokens: number; readonly best: number | null; readonly worst: number | null } | null;
}

const UNPLANNED: Span = { best: 1, worst: 4 };

/**
 * Forecasts the rest of a run, wave by wave. In the worst case every feature uses all its fixes, each fix repeats every
 * step, and every gate fails three times. Lost runs, designs invalidated by a changed dependency and reopened waves are
 * not included.
 */
export function forecast(lead: Lead, estimate: (role: Role) => number, cap: number | null = lead.run.cap): Forecast {
  const planned = [...lead.features.values()].filter(({ roadmap }) => roadmap !== null).toSorted(byPlace);
  const hasGates = planned.length > 1;
  let builders = 0;
  const waves = [...Map.groupBy(planned, ({ roadmap }) => roadmap?.wave ?? 0)].map(([wave, records]) => {
    const bill = new Bill(lead);
    const free = records.filter(({ phase }) => phase !== "blocked");
    const left = free.filter((record) => !isAccepted(record));
    const gate = hasGates && free.length > 0 ? (lead.waves.get(wave) ?? newWave(wave)) : undefined;
    for (const record of left) billFeature(bill, record);
    for (const record of free)
      if (changedUnder(lead.features, record).length > 0) bill.addReview("impl", record.feature_name, 1);
    const mayCascade = gate?.step === "cross-check" && gate.tries.cross_check < MOST_TRIES - 1;
    // A cross-check may request a spec update for a feature that is already accepted.
    for (const record of mayCascade ? free : left) billFixes(bill, record);
    builders += summed(free.map(groupsOf)).worst;
    if (gate) billGate(bill, gate, builders);
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

class Bill {
  readonly roles = new Map<Role, Span>();
  readonly #open: Lead["reviews"];

  constructor({ reviews }: Lead) {
    this.#open = reviews;
  }

  add(role: Role, best: number, worst = best): void {
    const before = this.roles.get(role) ?? { best: 0, worst: 0 };
    if (worst > 0) this.roles.set(role, { best: before.best + best, worst: before.worst + worst });
  }

  /** A review in progress costs only the inspectors that have not reported. */
  addReview(kind: ReviewKind, head: string, best: number, worst = best): void {
    const open = best > 0 ? this.#open.get(reviewKeyOf(head, kind)) : undefined;
    for (const inspector of INSPECTORS[kind]) {
      const isOver = open !== undefined && (inspector in open.inspections || open.missing.includes(inspector));
      this.add(`inspector-${inspector}`, best - (isOver ? 1 : 0), worst - (isOver ? 1 : 0));
    }
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

function billFeature(bill: Bill, record: FeatureRecord): void {
  const { feature_name: name, implementation } = record;
  const groups = groupsOf(record);
  const isToPlan = !isTasked(record);
  const pending = implementation.groups.filter(({ status }) => status === "pending").length;
  if (!isDesigned(record)) bill.add("architect", 1);
  if (!isPastDesignReview(record)) bill.addReview("design", name, 1);
  if (isToPlan) bill.add("task-generator", 1);
  bill.add("builder", isToPlan ? groups.best : pending, isToPlan ? groups.worst : pending);
  bill.addReview("impl", name, 1);
}

/** Assumes that each fix restarts at the design. */
function billFixes(bill: Bill, record: FeatureRecord): void {
  const { feature_name: name, orchestration } = record;
  const fixes = Math.max(0, MOST_IN_TOTAL - orchestration.total_count);
  bill.add("architect", 0, fixes);
  bill.addReview("design", name, 0, fixes);
  bill.add("task-generator", 0, fixes);
  bill.add("builder", 0, fixes * groupsOf(record).worst);
  bill.addReview("impl", name, 0, fixes);
}

/** The gate's reviews, each repeated up to its limit, and the Builders that fix findings in any wave up to this one. */
function billGate(bill: Bill, { wave, step, tries }: WaveRecord, builders: number): void {
  const head = waveHead(wave);
  if (step === "cross-check") billTries(bill, head, "impl", tries.cross_check, builders);
  if (step === "cross-check" || step === "dead-code") billTries(bill, head, "dead-code", tries.dead_code, builders);
}

function billTries(bill: Bill, head: string, kind: ReviewKind, tried: number, builders: number): void {
  const left = Math.max(1, MOST_TRIES - tried);
  bill.addReview(kind, head, 1, left);
  bill.add("builder", 0, (left - 1) * builders);
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
    if (used.best > left) found.best ??= wave;
    if (used.worst > left) found.worst ??= wave;
  }
  return found;
}
