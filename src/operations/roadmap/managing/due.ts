import type { Fix } from "#domain/fault.ts";
import type { HandedOut } from "#domain/roadmap/lead/state.ts";
import { aboutOf, type Due } from "../view.ts";

/** Whoever is told what is due has to ask for it: briefs come with that answer alone. */
export const NEXT: readonly Fix[] = [{ operation: "roadmap.next" }];

type Told = Omit<Due, "idle"> & { readonly idle?: string | undefined };

/** What would be handed out now, in a line each, and why there is nothing where there is none. */
export function duePoints({ due, more, reviews, idle }: Told): string[] {
  return [
    ...due.map(({ id, about }) => `Due: ${about} (${id})`),
    ...reviews.map((key) => `Due: review ${key}`),
    ...(more > 0 ? [`${more} more are due.`] : []),
    ...(idle === undefined ? [] : [idle]),
  ];
}

/** What somebody is at work on, and since when. */
export const outLine = ({ action, session, at }: HandedOut): string =>
  `${aboutOf(action)} (${action.id}), ${session} since ${at}`;
