import type { Problem } from "#domain/gate/verdict.ts";
import type { KeptTag } from "#domain/knowledge/tag.ts";
import type { HandedOut, OpenReview, Run } from "#domain/roadmap/lead/state.ts";
import type { LedgerSpace, StoreTree } from "../ports/store.ts";

/** Keyed by checkout, because the records are files of that checkout. */
export const RUN: LedgerSpace<Run> = { name: "roadmap-run" };
/** Keyed by checkout and scope, separated by a space. */
export const OPEN_REVIEWS: LedgerSpace<OpenReview> = { name: "roadmap-review" };
export const OUT: LedgerSpace<HandedOut> = { name: "roadmap-out" };

export interface Spent {
  readonly runs: number;
  readonly estimated: number;
  /** `reports` counts the runs with a reported cost. `expected` is their estimate, `reported` their actual cost. */
  readonly reports: number;
  readonly expected: number;
  readonly reported: number;
}
export const SPENT: LedgerSpace<Spent> = { name: "roadmap-spent" };

/**
 * Lessons from agents. The end of a wave turns them into knowledge. Keyed by checkout and content, so each is stored
 * once.
 */
export const TAGS: LedgerSpace<KeptTag> = { name: "roadmap-tag" };

export interface Refusal {
  readonly action: string;
  readonly problems: readonly Problem[];
}
/** Keyed by checkout and work, without the run number. */
export const REFUSED: LedgerSpace<Refusal> = { name: "roadmap-refused" };

/** The session must stop this action. It learns that with its next call. */
export interface Dismissal {
  readonly session: string;
  readonly at: string;
}
export const DISMISSED: LedgerSpace<Dismissal> = { name: "roadmap-dismissed" };

/** A group whose work ended. Changes in its files do not count against agents still at work. */
export interface Built {
  readonly at: string;
  readonly files: readonly string[];
}
/** Keyed by checkout, feature and group. Deleted when no agent from that time is left. */
export const BUILT: LedgerSpace<Built> = { name: "roadmap-built" };

export const keyIn = (checkout: string, name: string): string => `${checkout} ${name}`;

/** Entries of one checkout, without the checkout in the key. */
export function keptOf<T>(tree: StoreTree, space: LedgerSpace<T>, checkout: string): Map<string, T> {
  const start = keyIn(checkout, "");
  const own = [...tree.kept(space)].filter(([key]) => key.startsWith(start));
  return new Map(own.map(([key, value]) => [key.slice(start.length), value]));
}
