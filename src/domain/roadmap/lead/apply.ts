import type { Applied, LeadEvent } from "./event.ts";
import type { Lead } from "./state.ts";

/** What becomes of the roadmap by an event. Whatever is not expected is refused, with reasons; nothing is thrown. */
export function apply(lead: Lead, event: LeadEvent): { readonly lead: Lead; readonly applied: Applied } {
  return {
    lead,
    applied: { kind: "refused", problems: [{ problem: `Nothing takes ${event.kind} yet.` }], effects: [] },
  };
}
