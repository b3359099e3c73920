import type { LeadAction, Lead } from "../../model/lead/lead-state.ts";
import type { LeadEventResult, LeadEvent } from "../../model/lead/lead-events.ts";
import { formatScopeHead } from "../../model/lead/action-ids.ts";
import type { SpendingTotals } from "../../model/cost-forecast.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { LedgerEntry, StoreOccurrence, StoreTree } from "#store/operations/ports/store.ts";
import {
  loadCheckoutEntries,
  createCheckoutKey,
  SPENDING_SPACE,
  REJECTION_SPACE,
  type ReportRejection,
} from "./lead-store.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";

export function createEventOccurrences(
  before: Lead,
  events: readonly LeadEvent[],
  applied: readonly LeadEventResult[],
): StoreOccurrence[] {
  return events.flatMap((event, i) => {
    const outcome = applied[i]?.kind ?? "repeated";
    if (outcome === "repeated") return [];
    return [
      {
        kind: `roadmap.${event.kind}`,
        subject: getEventSubject(event),
        data: { ...createEventData(before, event), outcome },
      },
    ];
  });
}

function getEventSubject(event: LeadEvent): string {
  switch (event.kind) {
    case "feature-added":
      return event.record.feature_name;
    case "feature-removed":
    case "wanted":
    case "unblocked":
    case "placed":
    case "revised":
      return event.feature;
    case "handed-out":
    case "reported":
    case "lost":
      return event.action;
    case "review-begun":
      return formatScopeHead(event.scope);
    case "waived":
      return formatScopeHead(event.review.scope);
    case "run-begun":
    case "run-stopped":
      return "";
  }
}

/** Only short values. Documents hold the texts and facts. */
function createEventData(before: Lead, event: LeadEvent): Readonly<Record<string, unknown>> {
  switch (event.kind) {
    case "wanted":
      return { goal: event.goal, ...(event.tasks ? { tasks: event.tasks } : {}) };
    case "run-begun":
      return { gated: event.isGated, ...(event.cap === null ? {} : { cap: event.cap }) };
    case "run-stopped":
      return { why: event.why };
    case "review-begun":
      return { review: event.review, batch: event.batch };
    case "handed-out":
      return { session: event.session, estimate: event.estimate };
    case "reported":
      return { report: event.report.kind, ...createCostData(before, event) };
    case "lost":
      return { why: event.why };
    case "unblocked":
      return { how: event.how };
    case "placed":
      return { wave: event.wave, dependencies: event.dependencies };
    case "revised":
      return { intent: event.intent };
    case "waived":
      return { batch: event.review.batch, finding: event.finding, verdict: event.review.verdict };
    case "feature-added":
    case "feature-removed":
      return {};
  }
}

function createCostData(
  before: Lead,
  event: Extract<LeadEvent, { kind: "reported" }>,
): Readonly<Record<string, number>> {
  const estimate = before.out.get(event.action)?.estimate;
  return {
    ...(estimate === undefined ? {} : { estimate }),
    ...(event.tokens === undefined ? {} : { tokens: event.tokens }),
  };
}

export function planSpendingUpdates(
  tree: StoreTree,
  { checkout }: Pick<RoadmapEngine, "checkout">,
  { before, after }: { readonly before: Lead; readonly after: Lead },
  events: readonly LeadEvent[],
): LedgerEntry[] {
  const ended = events.flatMap((event) => {
    if (event.kind !== "reported" && event.kind !== "lost") return [];
    const out = before.out.get(event.action);
    const role = out && getActionRole(out.action);
    if (!out || role === undefined || after.out.has(event.action)) return [];
    const told = [out.paid, event.kind === "reported" ? event.tokens : undefined].filter((each) => each !== undefined);
    const tokens = told.length === 0 ? undefined : told.reduce((sum, each) => sum + each, 0);
    return [{ role, estimate: out.estimate, tokens }];
  });
  if (ended.length === 0) return [];
  const spent = loadCheckoutEntries(tree, SPENDING_SPACE, checkout);
  for (const run of ended) spent.set(run.role, addRunSpending(spent.get(run.role) ?? NO_SPENDING, run));
  const roles = new Set(ended.map(({ role }) => role));
  return [...roles].map((role) => ({
    space: SPENDING_SPACE.name,
    key: createCheckoutKey(checkout, role),
    value: spent.get(role),
  }));
}

const NO_SPENDING: SpendingTotals = { runs: 0, estimated: 0, reports: 0, expected: 0, reported: 0 };

const addRunSpending = (
  spent: SpendingTotals,
  { estimate, tokens }: { estimate: number; tokens: number | undefined },
): SpendingTotals => ({
  runs: spent.runs + 1,
  estimated: spent.estimated + estimate,
  reports: spent.reports + (tokens === undefined ? 0 : 1),
  expected: spent.expected + (tokens === undefined ? 0 : estimate),
  reported: spent.reported + (tokens ?? 0),
});

const getActionRole = (action: LeadAction): string | undefined => (action.kind === "spawn" ? action.role : undefined);

/** `user-login/build-A/2` is a run of `user-login/build-A`. A reviewer's id has no run number. */
const stripRunNumber = (action: string): string => action.replace(/\/\d+$/, "");

export const listLastRejectionProblems = (
  tree: StoreTree,
  { checkout }: Pick<RoadmapEngine, "checkout">,
  action: string,
): readonly Problem[] =>
  tree.kept(REJECTION_SPACE).get(createCheckoutKey(checkout, stripRunNumber(action)))?.problems ?? [];

export function planRejectionUpdates(
  tree: StoreTree,
  { checkout }: Pick<RoadmapEngine, "checkout">,
  { before }: { readonly before: Lead },
  events: readonly LeadEvent[],
  applied: readonly LeadEventResult[],
): LedgerEntry[] {
  const known = loadCheckoutEntries(tree, REJECTION_SPACE, checkout);
  const after = new Map(known);
  for (const [i, event] of events.entries()) {
    const outcome = applied[i];
    if (event.kind === "feature-removed") deleteRejections(after, (work) => work.startsWith(`${event.feature}/`));
    if (!outcome || outcome.kind === "repeated") continue;
    // Other work replaces a stopped action, so its old problems no longer apply.
    for (const effect of outcome.effects) if (effect.kind === "dismissed") after.delete(stripRunNumber(effect.action));
    if (event.kind !== "reported") continue;
    if (outcome.kind === "applied") after.delete(stripRunNumber(event.action));
    else if (before.out.get(event.action)?.action.kind === "spawn")
      after.set(stripRunNumber(event.action), {
        action: event.action,
        problems: limitShownProblems(outcome.problems).map(shortenProblem),
      });
  }
  const gone = [...known.keys()].filter((work) => !after.has(work));
  const told = [...after].filter(([work, refusal]) => known.get(work) !== refusal);
  return [
    ...gone.map((work) => ({ space: REJECTION_SPACE.name, key: createCheckoutKey(checkout, work) })),
    ...told.map(([work, value]) => ({ space: REJECTION_SPACE.name, key: createCheckoutKey(checkout, work), value })),
  ];
}

function deleteRejections(refusals: Map<string, ReportRejection>, isOver: (work: string) => boolean): void {
  for (const work of refusals.keys()) if (isOver(work)) refusals.delete(work);
}

const shortenProblem = ({ problem, line }: Problem): Problem => ({
  problem: sanitizeText(problem, 500),
  ...(line === undefined ? {} : { line }),
});
