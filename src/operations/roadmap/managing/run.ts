import { Fault } from "#domain/fault.ts";
import { progressOf } from "#domain/handover/accomplished.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead, Run } from "#domain/roadmap/lead/state.ts";
import { HANDOVER_SESSION_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { feedWhole } from "./whole.ts";
import { readLead } from "../shelf.ts";
import { answer, type Input, type Output } from "./answer.ts";
import { saidOf } from "./create.ts";
import { outLine } from "./due.ts";
import { capOf, foretell } from "./forecast.ts";
import { placedIn } from "./planned.ts";

export async function run(engine: Engine, input: Input): Promise<Output> {
  const before = await readLead(engine);
  refuseNone(before);
  if (input.plan) return foretell(engine, before, input);
  const { lead } = await feedWhole(engine, (_, now) => ({ events: begun(now.run, input) }));
  const verb = before.run.isOn ? "runs" : before.run.stopped === null ? "begins to run" : "goes on";
  return answer(lead, {
    action: "run",
    said: `The roadmap ${verb}: ${saidOf(lead)}.`,
    next: [{ operation: "roadmap.next" }],
  });
}

/** Omitted settings keep their values. */
function begun(now: Run, { gate, partition, cap_tokens }: Input): LeadEvent[] {
  const isGated = gate ?? now.isGated;
  const cap = capOf(now, cap_tokens);
  const onOverlap = partition === undefined ? now.onOverlap : partition ? "partition" : "serialise";
  const isSame = now.isOn && now.isGated === isGated && now.cap === cap && now.onOverlap === onOverlap;
  return isSame ? [] : [{ kind: "run-begun", isGated, cap, onOverlap }];
}

export function refuseNone(lead: Lead): void {
  if (placedIn(lead).length > 0) return;
  throw new Fault("roadmap.none", {
    what: "There is no roadmap.",
    why: lead.features.size === 0 ? "No feature is planned." : "No feature has a place in one.",
    fix: { operation: "roadmap.manage", input: { action: "create" } },
  });
}

export async function stop(engine: Engine, { reason }: Input): Promise<Output> {
  const why = reason ?? "The user stopped it.";
  const { before, lead } = await feedWhole(engine, (_, now) => ({
    events: isUnderWay(now) ? [{ kind: "run-stopped", why }] : [],
  }));
  const under = [...before.out.values()].map(outLine);
  const resume = { operation: "roadmap.manage", input: { action: "run" } };
  return answer(lead, {
    action: "stop",
    said: isUnderWay(before) ? `Stopped: ${progressOf(lead)}.` : "Nothing is under way.",
    in_progress: under,
    notes: [
      ...(under.length === 0 ? [] : ["Tell who is at work to stop: what was under way is due again when it goes on."]),
      ...(isUnderWay(before) ? [`${HANDOVER_SESSION_PATH} tells whoever goes on.`] : []),
    ],
    next: before.run.isOn || before.run.stopped !== null ? [resume] : [],
  });
}

const isUnderWay = ({ run: { isOn, goals }, out, reviews }: Lead): boolean =>
  isOn || Object.keys(goals).length > 0 || out.size > 0 || reviews.size > 0;
