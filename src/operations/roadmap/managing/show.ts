import { parallelismReport } from "#domain/roadmap/parallelism.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../../engine.ts";
import { readLead } from "../shelf.ts";
import { answer, type Output, standings } from "./answer.ts";
import { saidOf } from "./create.ts";
import { outLine } from "./due.ts";
import { placedIn } from "./planned.ts";
import { spentText } from "./spending.ts";

export async function show(engine: Engine): Promise<Output> {
  const lead = await readLead(engine);
  return answer(lead, {
    action: "show",
    said: titleOf(lead),
    ...standings(lead),
    parallelism: parallelismReport([...lead.features.values()]),
    in_progress: [...lead.out.values()].map(outLine),
    notes: await spentText(engine),
    next: nextOf(lead),
  });
}

function titleOf(lead: Lead): string {
  if (lead.features.size === 0) return "There is no roadmap, and no feature.";
  const placed = placedIn(lead).length;
  if (placed === 0) return "There is no roadmap; each feature stands alone.";
  return `The roadmap: ${saidOf(lead)}.`;
}

function nextOf(lead: Lead): Output["next"] {
  if (lead.features.size === 0) return [{ operation: "roadmap.manage", input: { action: "create" } }];
  const isToRun = placedIn(lead).length > 0 && !lead.run.isOn;
  return [
    ...(isToRun ? [{ operation: "roadmap.manage", input: { action: "run" } }] : []),
    { operation: "roadmap.next" },
  ];
}
