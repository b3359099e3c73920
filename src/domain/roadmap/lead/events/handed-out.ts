import type { Draft } from "../draft.ts";
import { dueAction } from "../next/due.ts";
import { APPLIED, type EventOf, REPEATED, refuse, type Taken } from "../taken.ts";
import { notDue } from "./reported.ts";

/** Somebody takes on what is due. Nobody else does, until it is reported or lost. */
export function takeHandOut(draft: Draft, event: EventOf<"handed-out">): Taken {
  const { action: id, session, at, base, estimate } = event;
  const out = draft.out(id);
  if (out?.session === session) return REPEATED;
  if (out) return refuse(`${id} is out with session ${out.session} since ${out.at}. Ask sdd_next what else is due.`);
  const action = dueAction(draft.base, id);
  if (!action) return notDue(draft.base, id);
  const cost = Number.isFinite(estimate) && estimate > 0 ? Math.round(estimate) : 0;
  draft.keepOut({ action, session, at, base, estimate: cost, refusals: 0 });
  return APPLIED;
}
