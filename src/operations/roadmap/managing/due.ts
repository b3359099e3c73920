import type { SuggestedFix } from "#domain/fault.ts";
import type { ActionAssignment } from "#domain/roadmap/lead/state.ts";
import { describeAction, type PendingSummary } from "../view.ts";

/** Briefs come only with `roadmap.next`. */
export const NEXT_ACTIONS_FIX: readonly SuggestedFix[] = [{ operation: "roadmap.next" }];

type PendingPoints = Omit<PendingSummary, "idle"> & { readonly idle?: string | undefined };

export function formatPendingPoints({ due, more, reviews, idle }: PendingPoints): string[] {
  return [
    ...due.map(({ id, about }) => `Due: ${about} (${id})`),
    ...reviews.map((key) => `Due: review ${key}`),
    ...(more > 0 ? [`${more} more are due.`] : []),
    ...(idle === undefined ? [] : [idle]),
  ];
}

export const formatAssignmentLine = ({ action, session, at }: ActionAssignment): string =>
  `${describeAction(action)} (${action.id}), ${session} since ${at}`;
