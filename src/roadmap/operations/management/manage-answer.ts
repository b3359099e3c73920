import type * as z from "zod";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { type ForecastRange, type SpendingTotals, summarizeSpending } from "../../model/cost-forecast.ts";
import { formatStepReadiness, listFeatureReadiness } from "../../model/feature-readiness.ts";
import type { ActionAssignment, Lead } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { describeAction, summarizePendingWork } from "../lead/action-view.ts";
import { loadCheckoutEntries, SPENDING_SPACE } from "../lead/lead-store.ts";
import type { ManageRoadmapInputSchema, ManageRoadmapOutputSchema } from "./schema.ts";

export type ManageRoadmapInput = z.infer<typeof ManageRoadmapInputSchema>;
export type ManageRoadmapOutput = z.infer<typeof ManageRoadmapOutputSchema>;

type ManageActionResult = Pick<ManageRoadmapOutput, "action" | "said"> & Partial<ManageRoadmapOutput>;

export function createManageOutput(lead: Lead, said: ManageActionResult): ManageRoadmapOutput {
  const { run } = lead;
  const due = summarizePendingWork(lead);
  const state = run.isOn ? "on" : run.stopped === null ? "never" : "stopped";
  // Drops `roadmap.next` if it would only repeat that nothing is pending.
  const isStill = due.idle !== undefined && lead.out.size === 0;
  const next = (said.next ?? []).filter(({ operation }) => !isStill || operation !== "roadmap.next");
  return {
    passed: true,
    run: { state, is_gated: run.isGated, why: run.stopped, cap: run.cap, spent: run.spent },
    features: [],
    omitted: 0,
    parallelism: [],
    forecast: [],
    differences: [],
    preview: [],
    in_progress: [],
    notes: [],
    ...due,
    ...said,
    next,
  };
}

/** Further rows are in `sdd/roadmap.md`. */
const MAX_FEATURE_ROWS = 40;

export function listFeatureRows(lead: Lead): Pick<ManageRoadmapOutput, "features" | "omitted"> {
  const all = listFeatureReadiness(lead);
  const features = all.slice(0, MAX_FEATURE_ROWS).map(({ feature, wave, steps }) => ({
    name: feature,
    wave,
    phase: lead.features.get(feature)?.phase ?? "",
    steps: Object.fromEntries(Object.entries(steps).map(([step, standing]) => [step, formatStepReadiness(standing)])),
  }));
  return { features, omitted: all.length - features.length };
}

/** Briefs come only with `roadmap.next`. */
export const NEXT_ACTIONS_FIX: readonly SuggestedFix[] = [{ operation: "roadmap.next" }];

type PendingPoints = Pick<ManageRoadmapOutput, "due" | "more" | "reviews" | "idle">;

export function formatPendingPoints({ due, more, reviews, idle }: PendingPoints): string[] {
  return [
    ...due.map(({ id, about }) => `Due: ${about} (${id})`),
    ...reviews.map((key) => `Due: review ${key}`),
    ...(more > 0 ? [`${more} more are ready.`] : []),
    ...(idle === undefined ? [] : [idle]),
  ];
}

export const formatAssignmentLine = ({ action, session, at }: ActionAssignment): string =>
  `${describeAction(action)} (${action.id}), ${session} since ${at}`;

/** `12 to 40`: the best and the worst case. */
export const formatForecastRange = ({ best, worst }: ForecastRange): string =>
  best === worst ? formatTokenCount(best) : `${formatTokenCount(best)} to ${formatTokenCount(worst)}`;

export const formatTokenCount = (n: number): string => n.toLocaleString("en");

type Spending = ReadonlyMap<string, SpendingTotals>;

export const loadSpending = ({ store, checkout }: Pick<RoadmapEngine, "store" | "checkout">): Promise<Spending> =>
  store.read((tree) => loadCheckoutEntries(tree, SPENDING_SPACE, checkout));

export function formatSpendingNotes(spending: Spending): string[] {
  const all = summarizeSpending([...spending.values()]);
  if (all.runs === 0) return [];
  const estimated = `${formatCount(all.runs, "agent run")} so far, estimated at ${formatTokenCount(all.estimated)} tokens`;
  if (all.ratio === null) return [`${estimated}; no costs were reported.`];
  return [`${estimated}; ${all.reports} of them cost ${all.ratio.toFixed(2)} times what they were estimated at.`];
}
