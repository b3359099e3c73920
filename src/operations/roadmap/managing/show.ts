import { formatParallelismReport } from "#domain/roadmap/parallelism.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../../engine.ts";
import { readLead } from "../shelf.ts";
import { createManageOutput, type ManageRoadmapOutput, listFeatureRows } from "./answer.ts";
import { formatRoadmapSize } from "./create.ts";
import { formatAssignmentLine } from "./due.ts";
import { listPlacedFeatures } from "./planned.ts";
import { formatSpendingNotes } from "./spending.ts";

export async function showRoadmap(engine: Engine): Promise<ManageRoadmapOutput> {
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
