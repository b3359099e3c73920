import { Fault } from "#domain/fault.ts";
import { formatFeatureProgress } from "#domain/handover/accomplished.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead, RoadmapRun } from "#domain/roadmap/lead/state.ts";
import { HANDOVER_SESSION_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { commitAllLeadEvents } from "./whole.ts";
import { readLead } from "../shelf.ts";
import { createManageOutput, type ManageRoadmapInput, type ManageRoadmapOutput } from "./answer.ts";
import { formatRoadmapSize } from "./create.ts";
import { formatAssignmentLine } from "./due.ts";
import { resolveTokenCap, forecastRoadmapRun } from "./forecast.ts";
import { listPlacedFeatures } from "./planned.ts";

export async function runRoadmap(engine: Engine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const before = await readLead(engine);
  assertRoadmapExists(before);
  if (input.plan) return forecastRoadmapRun(engine, before, input);
  const { lead } = await commitAllLeadEvents(engine, (_, now) => ({ events: createRunEvents(now.run, input) }));
  const verb = before.run.isOn ? "runs" : before.run.stopped === null ? "begins to run" : "goes on";
  return createManageOutput(lead, {
    action: "run",
    said: `The roadmap ${verb}: ${formatRoadmapSize(lead)}.`,
    next: [{ operation: "roadmap.next" }],
  });
}

/** Omitted settings keep their values. */
function createRunEvents(now: RoadmapRun, { gate, partition, cap_tokens }: ManageRoadmapInput): LeadEvent[] {
  const isGated = gate ?? now.isGated;
  const cap = resolveTokenCap(now, cap_tokens);
  const onOverlap = partition === undefined ? now.onOverlap : partition ? "partition" : "serialise";
  const isSame = now.isOn && now.isGated === isGated && now.cap === cap && now.onOverlap === onOverlap;
  return isSame ? [] : [{ kind: "run-begun", isGated, cap, onOverlap }];
}

export function assertRoadmapExists(lead: Lead): void {
  if (listPlacedFeatures(lead).length > 0) return;
  throw new Fault("roadmap.none", {
    what: "There is no roadmap.",
    why: lead.features.size === 0 ? "No feature is planned." : "No feature has a place in one.",
    fix: { operation: "roadmap.manage", input: { action: "create" } },
  });
}

export async function stopRoadmap(engine: Engine, { reason }: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const why = reason ?? "The user stopped it.";
  const { before, lead } = await commitAllLeadEvents(engine, (_, now) => ({
    events: isRoadmapActive(now) ? [{ kind: "run-stopped", why }] : [],
  }));
  const under = [...before.out.values()].map(formatAssignmentLine);
  const resume = { operation: "roadmap.manage", input: { action: "run" } };
  return createManageOutput(lead, {
    action: "stop",
    said: isRoadmapActive(before) ? `Stopped: ${formatFeatureProgress(lead)}.` : "Nothing is under way.",
    in_progress: under,
    notes: [
      ...(under.length === 0 ? [] : ["Tell who is at work to stop: what was under way is due again when it goes on."]),
      ...(isRoadmapActive(before) ? [`${HANDOVER_SESSION_PATH} tells whoever goes on.`] : []),
    ],
    next: before.run.isOn || before.run.stopped !== null ? [resume] : [],
  });
}

const isRoadmapActive = ({ run: { isOn, goals }, out, reviews }: Lead): boolean =>
  isOn || Object.keys(goals).length > 0 || out.size > 0 || reviews.size > 0;
