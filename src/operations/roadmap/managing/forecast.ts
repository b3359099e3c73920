import { estimateOf } from "#domain/agent/roles.ts";
import { formatCount } from "#domain/count.ts";
import { type Forecast, forecast } from "#domain/roadmap/forecast.ts";
import type { Lead, Run } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../../engine.ts";
import { answer, type Input, type Output } from "./answer.ts";
import { numberText, spanText } from "./span.ts";
import { spentText } from "./spending.ts";

export async function foretell(engine: Engine, lead: Lead, { gate, partition, cap_tokens }: Input): Promise<Output> {
  const told = forecast(lead, estimateOf, capOf(lead.run, cap_tokens));
  const said = Object.entries({ gate, partition, cap_tokens }).filter(([, value]) => value !== undefined);
  return answer(lead, {
    action: "run",
    said: `What is left takes ${spanText(told.runs)} agent runs and ${spanText(told.tokens)} tokens. Nothing is begun.`,
    forecast: told.waves.map(({ wave, features, runs, tokens }) => ({ wave, features, runs, tokens })),
    notes: [...notesOf(told), ...(await spentText(engine))],
    next: [{ operation: "roadmap.manage", input: { action: "run", ...Object.fromEntries(said) } }],
  });
}

/** 0 removes the cap. */
export const capOf = ({ cap }: Run, said: number | undefined): number | null =>
  said === undefined ? cap : said === 0 ? null : said;

function notesOf({ unplanned, cap }: Forecast): string[] {
  return [
    "The first number holds if every review says GO, the second if each says no for as long as it may.",
    ...(unplanned.length === 0
      ? []
      : [`${formatCount(unplanned.length, "feature")} without tasks: how many Builders that takes is a guess.`]),
    ...(cap === null ? [] : [capText(cap)]),
  ];
}

function capText({ tokens, best, worst }: NonNullable<Forecast["cap"]>): string {
  if (worst === null) {
    return `By these estimates ${numberText(tokens)} tokens do, even if each review says no for as long as it may. ${ON_TOP}`;
  }
  const at =
    best === null
      ? `in wave ${worst} at worst, or never`
      : best === worst
        ? `in wave ${best}`
        : `in wave ${worst} to ${best}`;
  return `${numberText(tokens)} tokens are used up ${at}; then you are asked whether it may cost more.`;
}

const ON_TOP = "Runs that are lost, designs that change under others and waves that open again come on top.";
