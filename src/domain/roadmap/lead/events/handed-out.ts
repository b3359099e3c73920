import type { Draft } from "../draft.ts";
import { capText, roomIn } from "../next/cap.ts";
import { dueAction, isWithheld } from "../next/due-action.ts";
import { APPLIED, type EventOf, REPEATED, refuse, type Taken } from "../taken.ts";
import { notDue } from "./reported.ts";

export function takeHandOut(draft: Draft, event: EventOf<"handed-out">): Taken {
  const { action: id, session, at, base, estimate } = event;
  const out = draft.out(id);
  if (out?.session === session) return REPEATED;
  if (out) return refuse(`${id} is out with session ${out.session} since ${out.at}. Ask sdd_next what else is due.`);
  const action = dueAction(draft.base, id);
  if (!action) return isWithheld(draft.base, id) ? tooDear(draft, id) : notDue(draft.base, id);
  const isPaid = action.kind === "spawn" && Number.isFinite(estimate) && estimate > 0;
  const cost = isPaid ? Math.round(estimate) : 0;
  if (cost > roomIn(draft.base)) return tooDear(draft, id);
  draft.keepOut({ action, session, at, base, estimate: cost, refusals: 0 });
  return APPLIED;
}

const tooDear = (draft: Draft, id: string): Taken =>
  refuse(`${id} is held back: the run may cost ${capText(draft.base)}.`);
