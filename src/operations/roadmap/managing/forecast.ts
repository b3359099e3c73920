import { estimateRoleTokens } from "#domain/agent/roles.ts";
import { formatCount } from "#domain/count.ts";
import { type CostForecast, forecastRunCost } from "#domain/roadmap/forecast.ts";
import type { Lead, RoadmapRun } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../../engine.ts";
import { createManageOutput, type ManageRoadmapInput, type ManageRoadmapOutput } from "./answer.ts";
import { formatTokenCount, formatForecastRange } from "./span.ts";
import { formatSpendingNotes } from "./spending.ts";

export async function forecastRoadmapRun(
  engine: Engine,
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
