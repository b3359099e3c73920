import { estimateOf } from "#domain/agent/roles.ts";
import { count } from "#domain/count.ts";
import { type Forecast, forecast } from "#domain/roadmap/forecast.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";

import { answer, type Input, type Output } from "./answer.ts";
import { numberText, spanText } from "./span.ts";

/** What the rest of the roadmap will cost, wave by wave; nothing is begun. */
export function foretell(lead: Lead, { cap_tokens, gate }: Input): Output {
  const told = forecast(lead, estimateOf, cap_tokens ?? lead.run.cap);
  const input = { ...(gate === undefined ? {} : { gate }), ...(cap_tokens === undefined ? {} : { cap_tokens }) };
  return answer(lead, {
    action: "run",
    said: `What is left takes ${spanText(told.runs)} agent runs and ${spanText(told.tokens)} tokens. Nothing is begun.`,
    forecast: told.waves.map(({ wave, features, runs, tokens }) => ({ wave, features, runs, tokens })),
    notes: notesOf(told),
    next: [{ operation: "roadmap.manage", input: { action: "run", ...input } }],
  });
}

function notesOf({ unplanned, cap }: Forecast): string[] {
  return [
    "The first number holds if every review says GO, the second if each says no for as long as it may.",
    ...(unplanned.length === 0
      ? []
      : [`${count(unplanned.length, "feature")} without tasks: how many Builders that takes is a guess.`]),
    ...(cap === null ? [] : [capText(cap)]),
  ];
}

function capText({ tokens, best, worst }: NonNullable<Forecast["cap"]>): string {
  if (worst === null) return `${numberText(tokens)} tokens are enough, whatever the reviews say.`;
  const at =
    best === null
      ? `in wave ${worst} at worst, or never`
      : best === worst
        ? `in wave ${best}`
        : `in wave ${worst} to ${best}`;
  return `${numberText(tokens)} tokens are used up ${at}; then it stops, and can go on.`;
}
