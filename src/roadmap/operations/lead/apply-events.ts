import { applyLeadEvent } from "../../model/lead/apply-event.ts";
import type { LeadEventResult, LeadEffect, LeadEvent } from "../../model/lead/lead-events.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { describeAccomplishedWork } from "../../model/handover/accomplished-work.ts";
import type { RoadmapEngine } from "../engine.ts";
import { commitWithSession } from "../handover/commit-with-session.ts";
import { describeNextStep } from "../handover/next-step.ts";
import { loadKnowledgeTemplates } from "../knowledge/knowledge-folder.ts";
import type {
  LedgerEntry,
  LockedStoreTree,
  StoreOccurrence,
  StorePlan,
  StoreStep,
} from "#store/operations/ports/store.ts";
import { planLeadWrite } from "./lead-write-plan.ts";
import { planRejectionUpdates, createEventOccurrences, planSpendingUpdates } from "./ledger-entries.ts";
import { loadLead } from "./lead-store.ts";
import { Fault } from "#kernel/model/fault.ts";

type LeadWriteEngine = Pick<
  RoadmapEngine,
  "store" | "observers" | "notice" | "assets" | "checkout" | "digest" | "clock" | "yaml" | "branch"
>;

export interface LeadEventInput {
  readonly events: readonly LeadEvent[];
  /** Decisions and steering lines that follow from the command itself, not from an event. */
  readonly effects?: readonly LeadEffect[];
  readonly steps?: readonly StoreStep[];
  readonly keeps?: readonly LedgerEntry[];
  readonly occurrences?: readonly StoreOccurrence[];
  readonly after?: (applied: readonly LeadEventResult[]) => Pick<LeadEventInput, "steps" | "keeps" | "occurrences">;
}

export interface LeadWriteOutcome {
  readonly applied: readonly LeadEventResult[];
  readonly before: Lead;
  readonly lead: Lead;
}

/**
 * The only way to change the Lead. `decide` runs under the lock on the current Lead, so two processes never apply
 * events to the same state. Files and ledger change in the same write.
 */
export async function commitLeadEvents(
  engine: LeadWriteEngine,
  decide: (tree: LockedStoreTree, lead: Lead) => LeadEventInput,
): Promise<LeadWriteOutcome> {
  const tools = { yaml: await engine.yaml(), templates: await loadKnowledgeTemplates(engine) };
  let events: readonly LeadEvent[] = [];
  const plan = (tree: LockedStoreTree): StorePlan<LeadWriteOutcome> => {
    const before = loadLead(tree, engine);
    const fed = decide(tree, before);
    ({ events } = fed);
    const { lead: after, applied, effects } = applyLeadEvents(before, fed.events);
    const change = {
      before,
      after,
      effects: [...effects, ...(fed.effects ?? [])],
      at: engine.clock.now(),
    };
    const planned = planLeadWrite(tree, { checkout: engine.checkout, digest: engine.digest, tools }, change);
    const more = [fed, fed.after?.(applied) ?? {}];
    const keeps = [
      ...(planned.keeps ?? []),
      ...planSpendingUpdates(tree, engine, change, fed.events),
      ...planRejectionUpdates(tree, engine, change, fed.events, applied),
      ...more.flatMap((each) => each.keeps ?? []),
    ];
    const occurrences = [
      ...createEventOccurrences(before, fed.events, applied),
      ...planned.occurrences,
      ...more.flatMap((each) => each.occurrences ?? []),
    ];
    return {
      steps: [...more.flatMap((each) => each.steps ?? []), ...planned.steps],
      occurrences,
      keeps,
      result: { applied, before, lead: after },
    };
  };
  return commitWithSession(engine, plan, (_, { result: { applied, before, lead: after } }) => {
    const told = describeAccomplishedWork({ before, after, events, applied });
    return told && { accomplished: told.lines, next: describeNextStep(after), files: told.files };
  });
}

function applyLeadEvents(
  before: Lead,
  events: readonly LeadEvent[],
): { readonly lead: Lead; readonly applied: readonly LeadEventResult[]; readonly effects: readonly LeadEffect[] } {
  let lead = before;
  const applied: LeadEventResult[] = [];
  for (const event of events) {
    const next = applyLeadEvent(lead, event);
    lead = next.lead;
    applied.push(next.applied);
  }
  return { lead, applied, effects: applied.flatMap((each) => (each.kind === "repeated" ? [] : each.effects)) };
}

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
