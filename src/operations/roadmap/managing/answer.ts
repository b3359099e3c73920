import type * as z from "zod";
import { listFeatureReadiness, formatStepReadiness } from "#domain/roadmap/readiness.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { summarizePendingWork } from "../view.ts";
import type { ManageRoadmapOutputSchema, ManageRoadmapInputSchema } from "./schema.ts";

export type ManageRoadmapInput = z.infer<typeof ManageRoadmapInputSchema>;
export type ManageRoadmapOutput = z.infer<typeof ManageRoadmapOutputSchema>;

export type ManageActionResult = Pick<ManageRoadmapOutput, "action" | "said"> & Partial<ManageRoadmapOutput>;

export function createManageOutput(lead: Lead, said: ManageActionResult): ManageRoadmapOutput {
  const due = summarizePendingWork(lead);
  // Drops `roadmap.next` if it would only repeat that nothing is pending.
  const isStill = due.idle !== undefined && lead.out.size === 0;
  const next = (said.next ?? []).filter(({ operation }) => !isStill || operation !== "roadmap.next");
  return {
    passed: true,
    run: summarizeRun(lead),
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

function summarizeRun({ run }: Lead): ManageRoadmapOutput["run"] {
  return {
    state: run.isOn ? "on" : run.stopped === null ? "never" : "stopped",
    is_gated: run.isGated,
    why: run.stopped,
    cap: run.cap,
    spent: run.spent,
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
