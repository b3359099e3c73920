import { formatCount, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { listPlannedFeatures } from "../../model/dependency-graph.ts";
import type { LeadEffect } from "../../model/lead/lead-events.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import {
  type RoadmapDifference,
  pickHighestUpdateImpact,
  findRoadmapDifferences,
  createUpdateEvents,
  type RequestedFeature,
} from "../../model/roadmap-update.ts";
import type { RoadmapEngine } from "../engine.ts";
import { readLead } from "../lead/lead-store.ts";
import { createManageOutput, type ManageRoadmapInput, type ManageRoadmapOutput } from "./manage-answer.ts";
import { planFeatureArchive } from "./roadmap-archive.ts";
import {
  listNonGoalWarnings,
  createFeatureAddedEvent,
  createFeatureStart,
  resolveRequestedFeatures,
} from "./requested-features.ts";
import { assertRoadmapExists } from "./run-roadmap.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";

const ALL_DIFFERENCES = "all";

export async function updateRoadmap(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const before = await readLead(engine);
  assertRoadmapExists(before);
  const wanted = resolveUpdateRequest(before, input);
  const found = findRoadmapDifferences(before, wanted);
  const chosen = input.apply ?? [];
  assertKnownDifferences(found, chosen);
  const names = wanted.map(({ name }) => name);
  const doubts = await engine.store.read((tree) => listNonGoalWarnings(tree, before, names));
  if (found.length === 0 || chosen.length === 0)
    return { ...createUpdateProposal(before, found, input), notes: doubts };
  const isChosen = (id: string): boolean => chosen.includes(ALL_DIFFERENCES) || chosen.includes(id);
  const begin = await createFeatureStart(engine);
  const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
    const events = createUpdateEvents(now, resolveUpdateRequest(now, input), isChosen, (feature, wave) =>
      createFeatureAddedEvent(feature, wave, begin),
    );
    const removed = events.flatMap((event) => (event.kind === "feature-removed" ? [event.feature] : []));
    return {
      events,
      steps: planFeatureArchive(tree, removed),
      effects:
        events.length === 0
          ? []
          : [
              createUpdateDecision(
                found.filter(({ id }) => isChosen(id)),
                input.reason,
              ),
            ],
    };
  });
  const left = findRoadmapDifferences(lead, resolveUpdateRequest(lead, input));
  const isMadeUp = ({ id }: RoadmapDifference): boolean => isChosen(id) && !left.some((each) => each.id === id);
  return createManageOutput(lead, {
    action: "update",
    said: `${formatCount(found.filter(isMadeUp).length, "difference")} made up for; ${left.length} left.`,
    differences: [
      ...found.filter(({ id }) => isChosen(id)).map((each) => createDifferenceRow(each, isMadeUp(each))),
      ...left.filter(({ id }) => !isChosen(id)).map((each) => createDifferenceRow(each, false)),
    ],
    notes: doubts,
    next: [{ operation: "roadmap.manage" }, { operation: "roadmap.next" }],
  });
}

/** Without a request, compares the roadmap with itself: only its own inconsistencies remain. */
function resolveUpdateRequest(lead: Lead, { features }: ManageRoadmapInput): RequestedFeature[] {
  if (features !== undefined) return resolveRequestedFeatures(lead, features);
  return listPlannedFeatures(lead.features.values()).map((feature) => ({ description: "", ...feature }));
}

function createUpdateProposal(
  lead: Lead,
  found: readonly RoadmapDifference[],
  { features }: ManageRoadmapInput,
): ManageRoadmapOutput {
  const wanted = features === undefined ? {} : { features };
  const isAny = found.length > 0;
  return createManageOutput(lead, {
    action: "update",
    said: isAny
      ? `${formatCount(found.length, "difference")}, impact ${pickHighestUpdateImpact(found)}. Nothing is changed yet.`
      : "The roadmap is as it should be.",
    differences: found.map((each) => createDifferenceRow(each, false)),
    next: isAny
      ? [{ operation: "roadmap.manage", input: { action: "update", ...wanted, apply: [ALL_DIFFERENCES] } }]
      : [],
  });
}

const createDifferenceRow = (
  { id, feature, what, impact }: RoadmapDifference,
  applied: boolean,
): ManageRoadmapOutput["differences"][number] => ({
  id,
  feature,
  says: what,
  impact,
  applied,
});

const createUpdateDecision = (chosen: readonly RoadmapDifference[], reason = "Asked for by the user."): LeadEffect => ({
  kind: "decision",
  type: "DIRECTION_CHANGE",
  summary: `The roadmap is changed: ${formatCount(chosen.length, "difference")}`,
  context: "roadmap update",
  decision: chosen.map(({ what }) => what).join(" "),
  reason,
  impact: `${pickHighestUpdateImpact(chosen)}: ${[...new Set(chosen.map(({ feature }) => feature))].join(", ")}`,
  source: "user instruction",
});

function assertKnownDifferences(found: readonly RoadmapDifference[], chosen: readonly string[]): void {
  const unknown = chosen.find((id) => id !== ALL_DIFFERENCES && !found.some((each) => each.id === id));
  if (unknown === undefined) return;
  throw new Fault("roadmap.unknown-difference", {
    what: "Nothing was changed.",
    why: `No difference has the id ${quote(unknown, 80)}.`,
    fix: { operation: "roadmap.manage", input: { action: "update" } },
  });
}
