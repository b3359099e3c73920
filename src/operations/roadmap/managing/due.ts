import type { Fix } from "#domain/fault.ts";
import { plain } from "#domain/quote.ts";
import type { Action } from "#domain/roadmap/lead/action.ts";
import { decide } from "#domain/roadmap/lead/decide.ts";
import { headOf } from "#domain/roadmap/lead/ids.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";

/** What `roadmap.next` would hand out, in a line each, and why there is nothing where there is none. */
export interface Due {
  readonly due: string[];
  readonly waiting: string | null;
}

/** Whoever is told what is due has to ask for it: briefs come with that answer alone. */
export const NEXT: readonly Fix[] = [{ operation: "roadmap.next" }];

export function dueIn(lead: Lead): Due {
  const { actions, reviews, idle } = decide(lead);
  return {
    due: [...actions.map(actionLine), ...reviews.map(({ review, scope }) => `${headOf(scope)}: ${review} review`)],
    waiting: idle,
  };
}

/** Lines of an answer; whoever asks for the next actions gets all of them. */
const MOST_TOLD = 8;

export function duePoints({ due, waiting }: Due): string[] {
  const more = due.length - MOST_TOLD;
  return [
    ...due.slice(0, MOST_TOLD).map((line) => `Due: ${line}`),
    ...(more > 0 ? [`${more} more are due.`] : []),
    ...(due.length === 0 && waiting !== null ? [waiting] : []),
  ];
}

/** What is to be done, and by whom. */
export function actionLine(action: Action): string {
  switch (action.kind) {
    case "spawn":
      return `${action.id} (${action.role})`;
    case "gate":
      return `${action.id} (its checks)`;
    case "ask":
      return `${action.id} (a question for the user: ${action.choices.join(", ")})`;
    case "commit":
      return `${action.id} (commit ${plain(action.message, 80)})`;
  }
}

/** What somebody is at work on, and since when. */
export const outLine = ({ action, session, at }: HandedOut): string => `${actionLine(action)}, ${session}, since ${at}`;
