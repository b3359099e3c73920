import { formatCount } from "#domain/count.ts";
import { downstreamOf, plannedIn } from "#domain/roadmap/graph.ts";
import type { Effect, LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../../engine.ts";
import { feedWhole } from "./whole.ts";
import { readLead } from "../shelf.ts";
import { answer, type Input, type Output, standings } from "./answer.ts";
import { roadmapAside } from "./aside.ts";
import { saidOf } from "./create.ts";
import { placedIn } from "./planned.ts";
import { refuseNone } from "./run.ts";

const RESET = "RESET";

/** Archives the records and keeps the code. */
export async function remove(engine: Engine, { confirm, reason }: Input): Promise<Output> {
  const before = await readLead(engine);
  refuseNone(before);
  if (confirm !== RESET) return asked(before);
  let kept = "";
  const { lead } = await feedWhole(engine, (tree, now) => {
    const names = placedIn(now).map(({ feature_name }) => feature_name);
    const { to, steps } = roadmapAside(tree, names);
    kept = to;
    return { events: ending(now), steps, effects: [told(now, to, reason)] };
  });
  return answer(lead, {
    action: "delete",
    said: `The roadmap is gone: ${saidOf(before)}.`,
    notes: [`All of it is kept in ${kept}. Code was not touched.`],
    next: [{ operation: "roadmap.manage", input: { action: "create" } }],
  });
}

function ending(lead: Lead): LeadEvent[] {
  const planned = plannedIn(lead.features.values());
  const below = new Map(planned.map(({ name }) => [name, downstreamOf(planned, name).length]));
  const names = planned.map(({ name }) => name).toSorted((a, b) => (below.get(a) ?? 0) - (below.get(b) ?? 0));
  return [
    ...(lead.run.isOn ? [{ kind: "run-stopped", why: "The roadmap was deleted." } as const] : []),
    ...names.map((feature): LeadEvent => ({ kind: "feature-removed", feature })),
  ];
}

function asked(lead: Lead): Output {
  return answer(lead, {
    action: "delete",
    passed: false,
    said: `${saidOf(lead)} would go. Nothing is changed yet.`,
    ...standings(lead),
    notes: [
      "Records, designs and reviews are kept in sdd/superseded; code is not touched.",
      "To let it go, the user types RESET.",
    ],
    next: [{ operation: "roadmap.manage", input: { action: "delete", confirm: "…" } }],
  });
}

const told = (lead: Lead, to: string, reason = "Asked for by the user."): Effect => ({
  kind: "decision",
  type: "DIRECTION_CHANGE",
  summary: "The roadmap is deleted",
  context: `${saidOf(lead)}; ${formatCount(lead.out.size, "action")} under way`,
  decision: `Its records are kept in ${to}; code was not touched.`,
  reason,
  impact: placedIn(lead)
    .map(({ feature_name }) => feature_name)
    .join(", "),
  source: "user instruction",
});
