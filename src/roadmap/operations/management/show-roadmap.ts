import { formatParallelismReport } from "../../model/roadmap-page.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { readLead } from "../lead/lead-store.ts";
import {
  createManageOutput,
  type ManageRoadmapOutput,
  listFeatureRows,
  formatAssignmentLine,
  formatSpendingNotes,
} from "./manage-answer.ts";
import { formatRoadmapSize } from "./create-roadmap.ts";
import { listPlacedFeatures } from "./requested-features.ts";

export async function showRoadmap(engine: RoadmapEngine): Promise<ManageRoadmapOutput> {
  const lead = await readLead(engine);
  return createManageOutput(lead, {
    action: "show",
    said: formatRoadmapTitle(lead),
    ...listFeatureRows(lead),
    parallelism: formatParallelismReport([...lead.features.values()]),
    in_progress: [...lead.out.values()].map(formatAssignmentLine),
    notes: await formatSpendingNotes(engine),
    next: suggestRoadmapCalls(lead),
  });
}

function formatRoadmapTitle(lead: Lead): string {
  if (lead.features.size === 0) return "There is no roadmap, and no feature.";
  const placed = listPlacedFeatures(lead).length;
  if (placed === 0) return "There is no roadmap; each feature stands alone.";
  return `The roadmap: ${formatRoadmapSize(lead)}.`;
}

function suggestRoadmapCalls(lead: Lead): ManageRoadmapOutput["next"] {
  if (lead.features.size === 0) return [{ operation: "roadmap.manage", input: { action: "create" } }];
  const isToRun = listPlacedFeatures(lead).length > 0 && !lead.run.isOn;
  return [
    ...(isToRun ? [{ operation: "roadmap.manage", input: { action: "run" } }] : []),
    { operation: "roadmap.next" },
  ];
}
