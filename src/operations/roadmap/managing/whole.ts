import { Fault } from "#domain/fault.ts";
import { applyLeadEvent } from "#domain/roadmap/lead/apply.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { commitLeadEvents } from "../apply.ts";

/** All or nothing: throws if any event is rejected. */
export const commitAllLeadEvents: typeof commitLeadEvents = (engine, decide) =>
  commitLeadEvents(engine, (tree, lead) => {
    const fed = decide(tree, lead);
    assertEventsAccepted(lead, fed.events);
    return fed;
  });

function assertEventsAccepted(before: Lead, events: readonly LeadEvent[]): void {
  let lead = before;
  for (const event of events) {
    const next = applyLeadEvent(lead, event);
    lead = next.lead;
    if (next.applied.kind !== "refused") continue;
    throw new Fault("roadmap.refused", {
      what: "Nothing was changed.",
      why: next.applied.problems.map(({ problem }) => problem).join(" "),
      fix: { operation: "roadmap.manage", input: { action: "show" } },
    });
  }
}
