import { Fault } from "#kernel/model/fault.ts";
import { formatFeatureProgress } from "../../model/handover/accomplished-work.ts";
import type { LeadEvent } from "../../model/lead/lead-events.ts";
import type { Lead, RoadmapRun } from "../../model/lead/lead-state.ts";
import { HANDOVER_SESSION_PATH } from "#kernel/model/workspace-paths.ts";
import type { RoadmapEngine } from "../engine.ts";
import { readLead } from "../lead/lead-store.ts";
import {
  createManageOutput,
  type ManageRoadmapInput,
  type ManageRoadmapOutput,
  formatAssignmentLine,
  formatTokenCount,
  formatForecastRange,
  formatSpendingNotes,
} from "./manage-answer.ts";
import { formatRoadmapSize } from "./create-roadmap.ts";
import { listPlacedFeatures } from "./requested-features.ts";
import { estimateRoleTokens } from "../../model/agent/agent-roles.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { type CostForecast, forecastRunCost } from "../../model/cost-forecast.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";

export async function runRoadmap(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
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

export async function stopRoadmap(engine: RoadmapEngine, { reason }: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
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

export async function forecastRoadmapRun(
  engine: RoadmapEngine,
  lead: Lead,
  { gate, partition, cap_tokens }: ManageRoadmapInput,
): Promise<ManageRoadmapOutput> {
  const told = forecastRunCost(lead, estimateRoleTokens, resolveTokenCap(lead.run, cap_tokens));
  const said = Object.entries({ gate, partition, cap_tokens }).filter(([, value]) => value !== undefined);
  return createManageOutput(lead, {
    action: "run",
    said: `What is left takes ${formatForecastRange(told.runs)} agent runs and ${formatForecastRange(told.tokens)} tokens. Nothing is begun.`,
    forecast: told.waves.map(({ wave, features, runs, tokens }) => ({ wave, features, runs, tokens })),
    notes: [...formatForecastNotes(told), ...(await formatSpendingNotes(engine))],
    next: [{ operation: "roadmap.manage", input: { action: "run", ...Object.fromEntries(said) } }],
  });
}

/** 0 removes the cap. */
export const resolveTokenCap = ({ cap }: RoadmapRun, said: number | undefined): number | null =>
  said === undefined ? cap : said === 0 ? null : said;

function formatForecastNotes({ unplanned, cap }: CostForecast): string[] {
  return [
    "The first number holds if every review says GO, the second if each says no for as long as it may.",
    ...(unplanned.length === 0
      ? []
      : [`${formatCount(unplanned.length, "feature")} without tasks: how many Builders that takes is a guess.`]),
    ...(cap === null ? [] : [formatCapForecast(cap)]),
  ];
}

function formatCapForecast({ tokens, best, worst }: NonNullable<CostForecast["cap"]>): string {
  if (worst === null) {
    return `By these estimates ${formatTokenCount(tokens)} tokens do, even if each review says no for as long as it may. ${FORECAST_LIMITS_NOTE}`;
  }
  const at =
    best === null
      ? `in wave ${worst} at worst, or never`
      : best === worst
        ? `in wave ${best}`
        : `in wave ${worst} to ${best}`;
  return `${formatTokenCount(tokens)} tokens are used up ${at}; then you are asked whether it may cost more.`;
}

const FORECAST_LIMITS_NOTE =
  "Runs that are lost, designs that change under others and waves that open again come on top.";
