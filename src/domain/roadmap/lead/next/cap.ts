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

/** What a run may not begin any more, for it would cost more than it may. */
export interface Withheld {
  /** Ids of actions, and keys of reviews. */
  readonly ids: readonly string[];
  /** Tokens that the cheapest of it is estimated at. */
  readonly least: number;
}

const NOTHING: Withheld = { ids: [], least: 0 };

/** Tokens that an action is estimated at. Only agents cost any. */
export const costOf = (action: Action): number => (action.kind === "spawn" ? estimateOf(action.role) : 0);

/** Tokens that those at work are expected to cost yet. */
function reservedIn({ out }: Pick<Lead, "out">): number {
  let reserved = 0;
  for (const each of out.values()) reserved += leftToPay(each);
  return reserved;
}

/** Tokens that are neither spent nor reserved; without an end where there is no cap. */
export const roomIn = (lead: Lead): number =>
  lead.run.isOn && lead.run.cap !== null
    ? Math.max(0, lead.run.cap - lead.run.spent - reservedIn(lead))
    : Number.POSITIVE_INFINITY;

/**
 * What is due and fits what the run may cost, each by its estimate. What costs nothing always does. Where nobody is at
 * work and nobody can begin, the user is asked for more.
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

/** Somebody has to be able to look at it. */
const costToBegin = ({ review }: ReviewDue): number =>
  Math.min(...INSPECTORS[review].map((name) => estimateOf(`inspector-${name}`)));

/** `500,000 tokens, of which 300,000 are spent and 78,000 reserved for who is at work`. */
export function capText(lead: Lead): string {
  const { cap, spent } = lead.run;
  const told = (tokens: number): string => tokens.toLocaleString("en");
  const reserved = reservedIn(lead);
  const held = reserved === 0 ? "" : ` and ${told(reserved)} reserved for who is at work`;
  return `${told(cap ?? spent)} tokens, of which ${told(spent)} are spent${held}`;
}
