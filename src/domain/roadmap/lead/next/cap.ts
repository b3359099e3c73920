import { INSPECTORS } from "../../../agent/role.ts";
import { estimateOf } from "../../../agent/roles.ts";
import { leftToPay } from "../changes/counters.ts";
import type { Action } from "../action.ts";
import type { ReviewDue } from "../decide.ts";
import { reviewKey } from "../ids.ts";
import type { Lead } from "../state.ts";
import { allDue } from "./all-due.ts";
import type { Due } from "./due.ts";
import { ask } from "./question.ts";

export interface Withheld {
  readonly ids: readonly string[];
  readonly least: number;
}

const NOTHING: Withheld = { ids: [], least: 0 };

export const costOf = (action: Action): number => (action.kind === "spawn" ? estimateOf(action.role) : 0);

function reservedIn({ out }: Pick<Lead, "out">): number {
  let reserved = 0;
  for (const each of out.values()) reserved += leftToPay(each);
  return reserved;
}

export const roomIn = (lead: Lead): number =>
  lead.run.isOn && lead.run.cap !== null
    ? Math.max(0, lead.run.cap - lead.run.spent - reservedIn(lead))
    : Number.POSITIVE_INFINITY;

/**
 * The pending work that fits the token cap. Free actions always fit. If no agent works and none can start, asks the
 * user for a higher cap.
 */
export function dueNow(lead: Lead): Due & { readonly withheld: Withheld } {
  const due = allDue(lead);
  const room = roomIn(lead);
  if (room === Number.POSITIVE_INFINITY) return { ...due, withheld: NOTHING };
  const { actions, reviews, withheld } = fitting(due, room);
  const isSomebodyAtWork = actions.some(isSpawn) || [...lead.out.values()].some(({ action }) => isSpawn(action));
  if (withheld.ids.length === 0 || isSomebodyAtWork || reviews.length > 0) return { actions, reviews, withheld };
  const question = ask.cap(lead, withheld);
  return { actions: lead.out.has(question.id) ? actions : [question, ...actions], reviews, withheld };
}

const isSpawn = (action: Action): boolean => action.kind === "spawn";

function fitting({ actions, reviews }: Due, all: number): Due & { readonly withheld: Withheld } {
  let room = all;
  const ids: string[] = [];
  let least = Number.POSITIVE_INFINITY;
  const fits = (id: string, cost: number): boolean => {
    const isWithin = cost === 0 || cost <= room;
    if (isWithin) room -= cost;
    else {
      ids.push(id);
      least = Math.min(least, cost);
    }
    return isWithin;
  };
  return {
    actions: actions.filter((action) => fits(action.id, costOf(action))),
    reviews: reviews.filter((due) => fits(reviewKey(due.review, due.scope), costToBegin(due))),
    withheld: ids.length === 0 ? NOTHING : { ids, least },
  };
}

/** A review starts only if at least its cheapest inspector fits. */
const costToBegin = ({ review }: ReviewDue): number =>
  Math.min(...INSPECTORS[review].map((name) => estimateOf(`inspector-${name}`)));

export function capText(lead: Lead): string {
  const { cap, spent } = lead.run;
  const told = (tokens: number): string => tokens.toLocaleString("en");
  const reserved = reservedIn(lead);
  const held = reserved === 0 ? "" : ` and ${told(reserved)} reserved for who is at work`;
  return `${told(cap ?? spent)} tokens, of which ${told(spent)} are spent${held}`;
}
