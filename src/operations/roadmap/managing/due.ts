import type { SuggestedFix } from "#domain/fault.ts";
import type { HandedOut } from "#domain/roadmap/lead/state.ts";
import { aboutOf, type Due } from "../view.ts";

/** Briefs come only with `roadmap.next`. */
export const NEXT: readonly SuggestedFix[] = [{ operation: "roadmap.next" }];

type Told = Omit<Due, "idle"> & { readonly idle?: string | undefined };

export function duePoints({ due, more, reviews, idle }: Told): string[] {
  return [
    ...due.map(({ id, about }) => `Due: ${about} (${id})`),
    ...reviews.map((key) => `Due: review ${key}`),
    ...(more > 0 ? [`${more} more are due.`] : []),
    ...(idle === undefined ? [] : [idle]),
  ];
}

export const outLine = ({ action, session, at }: HandedOut): string =>
  `${aboutOf(action)} (${action.id}), ${session} since ${at}`;
