import { count } from "#domain/count.ts";
import type { Fix } from "#domain/fault.ts";
import { plain } from "#domain/quote.ts";
import type { Action } from "#domain/roadmap/lead/action.ts";
import { decide } from "#domain/roadmap/lead/decide.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";

/** What `roadmap.next` would hand out, in a line each, and why there is nothing where there is none. */
export interface Due {
  readonly due: string[];
  readonly waiting: string | null;
}

/** Lines of an answer: who asks for the next actions gets all of them. */
const MOST_TOLD = 8;

export function dueIn(lead: Lead): Due {
  const { actions, reviews, idle } = decide(lead);
  const lines = [...actions.map(lineOf), ...reviews.map(({ review, scope }) => `a review (${review}) of ${nameOf(scope)}`)];
  return { due: lines, waiting: idle };
}
