import type * as z from "zod";
import { readiness, standingText } from "#domain/roadmap/readiness.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { dueIn } from "../view.ts";
import type { Managed, Manage } from "./schema.ts";

export type Input = z.infer<typeof Manage>;
export type Output = z.infer<typeof Managed>;

export type Said = Pick<Output, "action" | "said"> & Partial<Output>;

export function answer(lead: Lead, said: Said): Output {
  const due = dueIn(lead);
  // Drops `roadmap.next` if it would only repeat that nothing is pending.
  const isStill = due.idle !== undefined && lead.out.size === 0;
  const next = (said.next ?? []).filter(({ operation }) => !isStill || operation !== "roadmap.next");
  return {
    passed: true,
    run: runOf(lead),
    features: [],
    omitted: 0,
    parallelism: [],
    forecast: [],
    differences: [],
    preview: [],
    in_progress: [],
    notes: [],
    ...due,
    ...said,
    next,
  };
}

function runOf({ run }: Lead): Output["run"] {
  return {
    state: run.isOn ? "on" : run.stopped === null ? "never" : "stopped",
    is_gated: run.isGated,
    why: run.stopped,
    cap: run.cap,
    spent: run.spent,
  };
}

/** Further rows are in `sdd/roadmap.md`. */
const MOST_SHOWN = 40;

export function standings(lead: Lead): Pick<Output, "features" | "omitted"> {
  const all = readiness(lead);
  const features = all.slice(0, MOST_SHOWN).map(({ feature, wave, steps }) => ({
    name: feature,
    wave,
    phase: lead.features.get(feature)?.phase ?? "",
    steps: Object.fromEntries(Object.entries(steps).map(([step, standing]) => [step, standingText(standing)])),
  }));
  return { features, omitted: all.length - features.length };
}
