import * as z from "zod/mini";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { type Immutable, matchesSchema } from "#kernel/model/record-schema.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import {
  FEATURE_FOLDER,
  getFeatureRecordPath,
  getWaveRecordPath,
  WAVES_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { LedgerEntry, LedgerSpace, StoreOccurrence, StoreTree } from "#store/operations/ports/store.ts";
import { SpendingTotals } from "../../model/cost-forecast.ts";
import type { FeatureRecord, WaveRecord } from "../../model/feature/feature-record.ts";
import type { KnowledgeTag } from "../../model/knowledge/knowledge-kinds.ts";
import { formatScopeHead } from "../../model/lead/action-ids.ts";
import type { EventOf, LeadEvent, LeadEventResult } from "../../model/lead/lead-events.ts";
import { ActionAssignment, EMPTY_RUN, type Lead, OpenReview, RoadmapRun } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createFeatureShape, createWaveShape, parseWaveFileName } from "../feature/feature-records.ts";

type CheckoutEngine = Pick<RoadmapEngine, "checkout">;

/** An entry that does not fit the schema counts as lost. */
interface CheckedSpace<T> extends LedgerSpace<T> {
  readonly schema?: z.core.$ZodType;
}

/** Keyed by checkout, because the records are files of that checkout. */
export const RUN_SPACE: CheckedSpace<RoadmapRun> = { name: "roadmap-run", schema: RoadmapRun };
/** Keyed by checkout and scope, separated by a space. */
export const OPEN_REVIEW_SPACE: CheckedSpace<OpenReview> = { name: "roadmap-review", schema: OpenReview };
export const ASSIGNMENT_SPACE: CheckedSpace<ActionAssignment> = { name: "roadmap-out", schema: ActionAssignment };
/**
 * Lessons from agents. The end of a wave turns them into knowledge. Keyed by checkout and content, so each is stored
 * once.
 */
export const TAG_SPACE: CheckedSpace<KnowledgeTag> = { name: "roadmap-tag" };

export const SPENDING_SPACE: CheckedSpace<SpendingTotals> = { name: "roadmap-spent", schema: SpendingTotals };

const ReportRejection = z.object({
  action: z.string(),
  problems: z.array(z.object({ problem: z.string(), line: z.exactOptional(z.number()) })),
});
type ReportRejection = Immutable<z.infer<typeof ReportRejection>>;
/** Keyed by checkout and work, without the run number. */
const REJECTION_SPACE: CheckedSpace<ReportRejection> = { name: "roadmap-refused", schema: ReportRejection };

/** The session must stop this action. It learns that with its next call. */
const StopRequest = z.object({ session: z.string(), at: z.string() });
export const STOP_REQUEST_SPACE: CheckedSpace<Immutable<z.infer<typeof StopRequest>>> = {
  name: "roadmap-dismissed",
  schema: StopRequest,
};

/** A group whose work ended. Changes in its files do not count against agents still at work. */
const FinishedGroup = z.object({ at: z.string(), files: z.array(z.string()) });
export type FinishedGroup = Immutable<z.infer<typeof FinishedGroup>>;
/** Keyed by checkout, feature and group. Deleted when no agent from that time is left. */
export const FINISHED_GROUP_SPACE: CheckedSpace<FinishedGroup> = { name: "roadmap-built", schema: FinishedGroup };

/**
 * Loads the records of this checkout and its ledger state. Throws on a damaged record, because decisions without it
 * could be wrong.
 */
export function loadLead(tree: StoreTree, { checkout }: CheckoutEngine): Lead {
  const run = tree.kept(RUN_SPACE).get(checkout);
  return {
    features: loadFeatureMap(tree),
    waves: loadWaveMap(tree),
    run: run && matchesSchema(RoadmapRun, run) ? run : EMPTY_RUN,
    reviews: loadCheckoutEntries(tree, OPEN_REVIEW_SPACE, checkout),
    out: loadCheckoutEntries(tree, ASSIGNMENT_SPACE, checkout),
  };
}

export const readLead = (engine: Pick<RoadmapEngine, "store" | "checkout">): Promise<Lead> =>
  engine.store.read((tree) => loadLead(tree, engine));

/** Skips folders without a record. */
function loadFeatureMap(tree: StoreTree): Map<FeatureName, FeatureRecord> {
  const names = tree.names(FEATURE_FOLDER).filter(isFeatureName);
  const records = names.flatMap((name) => tree.record(getFeatureRecordPath(name), createFeatureShape(name)) ?? []);
  return new Map(records.map((record) => [record.feature_name, record]));
}

function loadWaveMap(tree: StoreTree): Map<number, WaveRecord> {
  const waves = tree.names(WAVES_FOLDER).flatMap((name) => parseWaveFileName(name) ?? []);
  const records = waves
    .toSorted((a, b) => a - b)
    .flatMap((wave) => tree.record(getWaveRecordPath(wave), createWaveShape(wave)) ?? []);
  return new Map(records.map((record) => [record.wave, record]));
}

export const createCheckoutKey = (checkout: string, name: string): string => `${checkout} ${name}`;

/** Entries of one checkout, without the checkout in the key. */
export function loadCheckoutEntries<T>(
  tree: StoreTree,
  { schema, ...space }: CheckedSpace<T>,
  checkout: string,
): Map<string, T> {
  const start = createCheckoutKey(checkout, "");
  const own = [...tree.kept(space)].filter(
    ([key, value]) => key.startsWith(start) && (!schema || matchesSchema(schema, value)),
  );
  return new Map(own.map(([key, value]) => [key.slice(start.length), value]));
}

/** The entries that change a space from one state to another. */
export function planSpaceUpdates<T>(
  { name: space }: LedgerSpace<T>,
  checkout: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): LedgerEntry[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, value]) => !isSameValue(before.get(name), value));
  return [
    ...gone.map((name) => ({ space, key: createCheckoutKey(checkout, name) })),
    ...changed.map(([name, value]) => ({ space, key: createCheckoutKey(checkout, name), value })),
  ];
}

export const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

export function createEventOccurrences(
  before: Lead,
  events: readonly LeadEvent[],
  applied: readonly LeadEventResult[],
): StoreOccurrence[] {
  return events.flatMap((event, i) => {
    const outcome = applied[i]?.kind ?? "repeated";
    if (outcome === "repeated") return [];
    const { subject, ...data } = describeEvent(before, event);
    return [{ kind: `roadmap.${event.kind}`, subject, data: { ...data, outcome } }];
  });
}

/** Only short values. Documents hold the texts and facts. */
function describeEvent(before: Lead, event: LeadEvent): { readonly subject: string; readonly [key: string]: unknown } {
  switch (event.kind) {
    case "feature-added":
      return { subject: event.record.feature_name };
    case "feature-removed":
      return { subject: event.feature };
    case "wanted":
      return { subject: event.feature, goal: event.goal, ...(event.tasks ? { tasks: event.tasks } : {}) };
    case "run-begun":
      return { subject: "", gated: event.isGated, ...(event.cap === null ? {} : { cap: event.cap }) };
    case "run-stopped":
      return { subject: "", why: event.why };
    case "review-begun":
      return { subject: formatScopeHead(event.scope), review: event.review, batch: event.batch };
    case "handed-out":
      return { subject: event.action, session: event.session, estimate: event.estimate };
    case "reported":
      return { subject: event.action, report: event.report.kind, ...describeCost(before, event) };
    case "lost":
      return { subject: event.action, why: event.why };
    case "unblocked":
      return { subject: event.feature, how: event.how };
    case "placed":
      return { subject: event.feature, wave: event.wave, dependencies: event.dependencies };
    case "revised":
      return { subject: event.feature, intent: event.intent };
    case "waived": {
      const { scope, batch, verdict } = event.review;
      return { subject: formatScopeHead(scope), batch, finding: event.finding, verdict };
    }
  }
}

function describeCost({ out }: Lead, { action, tokens }: EventOf<"reported">): Readonly<Record<string, number>> {
  const estimate = out.get(action)?.estimate;
  return { ...(estimate === undefined ? {} : { estimate }), ...(tokens === undefined ? {} : { tokens }) };
}

export function planSpendingUpdates(
  tree: StoreTree,
  { checkout }: CheckoutEngine,
  { before, after }: { readonly before: Lead; readonly after: Lead },
  events: readonly LeadEvent[],
): LedgerEntry[] {
  const known = loadCheckoutEntries(tree, SPENDING_SPACE, checkout);
  const spent = new Map(known);
  for (const event of events) {
    const out = event.kind === "reported" || event.kind === "lost" ? before.out.get(event.action) : undefined;
    if (out?.action.kind !== "spawn" || after.out.has(out.action.id)) continue;
    const reported = event.kind === "reported" ? event.tokens : undefined;
    const tokens = out.paid === undefined ? reported : out.paid + (reported ?? 0);
    const { role } = out.action;
    spent.set(role, addRunSpending(spent.get(role) ?? NO_SPENDING, out.estimate, tokens));
  }
  return planSpaceUpdates(SPENDING_SPACE, checkout, known, spent);
}

const NO_SPENDING: SpendingTotals = { runs: 0, estimated: 0, reports: 0, expected: 0, reported: 0 };

const addRunSpending = (spent: SpendingTotals, estimate: number, tokens: number | undefined): SpendingTotals => ({
  runs: spent.runs + 1,
  estimated: spent.estimated + estimate,
  reports: spent.reports + (tokens === undefined ? 0 : 1),
  expected: spent.expected + (tokens === undefined ? 0 : estimate),
  reported: spent.reported + (tokens ?? 0),
});

/** `user-login/build-A/2` is a run of `user-login/build-A`. A reviewer's id has no run number. */
const stripRunNumber = (action: string): string => action.replace(/\/\d+$/, "");

export const listLastRejectionProblems = (
  tree: StoreTree,
  { checkout }: CheckoutEngine,
  action: string,
): readonly Problem[] =>
  loadCheckoutEntries(tree, REJECTION_SPACE, checkout).get(stripRunNumber(action))?.problems ?? [];

export function planRejectionUpdates(
  tree: StoreTree,
  { checkout }: CheckoutEngine,
  before: Lead,
  events: readonly LeadEvent[],
  applied: readonly LeadEventResult[],
): LedgerEntry[] {
  const known = loadCheckoutEntries(tree, REJECTION_SPACE, checkout);
  const after = new Map(known);
  for (const [i, event] of events.entries()) {
    const outcome = applied[i];
    if (event.kind === "feature-removed")
      for (const work of known.keys()) if (work.startsWith(`${event.feature}/`)) after.delete(work);
    if (!outcome || outcome.kind === "repeated") continue;
    // Other work replaces a stopped action, so its old problems no longer apply.
    for (const effect of outcome.effects) if (effect.kind === "dismissed") after.delete(stripRunNumber(effect.action));
    if (event.kind !== "reported") continue;
    const { action } = event;
    if (outcome.kind === "applied") after.delete(stripRunNumber(action));
    else if (before.out.get(action)?.action.kind === "spawn") {
      const problems = limitShownProblems(outcome.problems).map((each) => ({
        ...each,
        problem: sanitizeText(each.problem, 500),
      }));
      after.set(stripRunNumber(action), { action, problems });
    }
  }
  return planSpaceUpdates(REJECTION_SPACE, checkout, known, after);
}
