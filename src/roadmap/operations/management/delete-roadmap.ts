import { formatCount } from "#kernel/model/text-format.ts";
import { listDownstreamFeatures, listPlannedFeatures } from "../../model/dependency-graph.ts";
import type { LeadEffect, LeadEvent } from "../../model/lead/lead-events.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { readLead } from "../lead/lead-store.ts";
import {
  createManageOutput,
  type ManageRoadmapInput,
  type ManageRoadmapOutput,
  listFeatureRows,
} from "./manage-answer.ts";
import { planRoadmapArchive } from "./roadmap-archive.ts";
import { formatRoadmapSize } from "./create-roadmap.ts";
import { listPlacedFeatures } from "./requested-features.ts";
import { assertRoadmapExists } from "./run-roadmap.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";

const RESET_WORD = "RESET";

/** Archives the records and keeps the code. */
export async function deleteRoadmap(
  engine: RoadmapEngine,
  { confirm, reason }: ManageRoadmapInput,
): Promise<ManageRoadmapOutput> {
  const before = await readLead(engine);
  assertRoadmapExists(before);
  if (confirm !== RESET_WORD) return createDeleteConfirmation(before);
  let kept = "";
  const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
    const names = listPlacedFeatures(now).map(({ feature_name }) => feature_name);
    const { to, steps } = planRoadmapArchive(tree, names);
    kept = to;
    return { events: createRemovalEvents(now), steps, effects: [createDeleteDecision(now, to, reason)] };
  });
  return createManageOutput(lead, {
    action: "delete",
    said: `The roadmap is gone: ${formatRoadmapSize(before)}.`,
    notes: [`All of it is kept in ${kept}. Code was not touched.`],
    next: [{ operation: "roadmap.manage", input: { action: "create" } }],
  });
}

function createRemovalEvents(lead: Lead): LeadEvent[] {
  const planned = listPlannedFeatures(lead.features.values());
  const below = new Map(planned.map(({ name }) => [name, listDownstreamFeatures(planned, name).length]));
  const names = planned.map(({ name }) => name).toSorted((a, b) => (below.get(a) ?? 0) - (below.get(b) ?? 0));
  return [
    ...(lead.run.isOn ? [{ kind: "run-stopped", why: "The roadmap was deleted." } as const] : []),
    ...names.map((feature): LeadEvent => ({ kind: "feature-removed", feature })),
  ];
}

function createDeleteConfirmation(lead: Lead): ManageRoadmapOutput {
  return createManageOutput(lead, {
    action: "delete",
    passed: false,
    said: `${formatRoadmapSize(lead)} would go. Nothing is changed yet.`,
    ...listFeatureRows(lead),
    notes: [
      "Records, designs and reviews are kept in sdd/superseded; code is not touched.",
      "To let it go, the user types RESET.",
    ],
    next: [{ operation: "roadmap.manage", input: { action: "delete", confirm: "…" } }],
  });
}

const createDeleteDecision = (lead: Lead, to: string, reason = "Asked for by the user."): LeadEffect => ({
  kind: "decision",
  type: "DIRECTION_CHANGE",
  summary: "The roadmap is deleted",
  context: `${formatRoadmapSize(lead)}; ${formatCount(lead.out.size, "action")} under way`,
  decision: `Its records are kept in ${to}; code was not touched.`,
  reason,
  impact: listPlacedFeatures(lead)
    .map(({ feature_name }) => feature_name)
    .join(", "),
  source: "user instruction",
});
