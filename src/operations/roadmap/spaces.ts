import type { Problem } from "#domain/gate/verdict.ts";
import type { KeptTag } from "#domain/knowledge/tag.ts";
import type { HandedOut, OpenReview, Run } from "#domain/roadmap/lead/state.ts";
import type { Space, Tree } from "../ports/store.ts";

/** What the ledger keeps of a roadmap, by checkout: the records that it is about are files of that checkout alone. */
export const RUN: Space<Run> = { name: "roadmap-run" };
/** By checkout and scope, with a space between them. */
export const OPEN_REVIEWS: Space<OpenReview> = { name: "roadmap-review" };
/** By checkout and action. */
export const OUT: Space<HandedOut> = { name: "roadmap-out" };

/** What runs of a role were estimated at and what they cost, all together: events tell of each. */
export interface Spent {
  readonly runs: number;
  readonly estimated: number;
  /** Those of the runs whose cost was reported, what they were estimated at, and what it was. */
  readonly reports: number;
  readonly expected: number;
  readonly reported: number;
}
/** By checkout and role. */
export const SPENT: Space<Spent> = { name: "roadmap-spent" };

/** What agents learned: a wave's end makes knowledge of it. By checkout and what it says, so that it is kept once. */
export const TAGS: Space<KeptTag> = { name: "roadmap-tag" };

/** Why the last report of a run was not taken: whoever is given it next is told. */
export interface Refusal {
  readonly action: string;
  readonly problems: readonly Problem[];
}
/** By checkout and what was to be done, whichever run of it. */
export const REFUSED: Space<Refusal> = { name: "roadmap-refused" };

/** Somebody was at work on it and is to stop; told when that session asks next. */
export interface Dismissal {
  readonly session: string;
  readonly at: string;
}
/** By checkout and action. */
export const DISMISSED: Space<Dismissal> = { name: "roadmap-dismissed" };

/** A group that somebody was at work on: what changed in its files before is not held against those who still are. */
export interface Built {
  readonly at: string;
  readonly files: readonly string[];
}
/** By checkout, feature and group; forgotten when nobody is at work who was then. */
export const BUILT: Space<Built> = { name: "roadmap-built" };

export const keyIn = (checkout: string, name: string): string => `${checkout} ${name}`;

/** What a space holds of one checkout, by what is left of the name. */
export function keptOf<T>(tree: Tree, space: Space<T>, checkout: string): Map<string, T> {
  const start = keyIn(checkout, "");
  const own = [...tree.kept(space)].filter(([key]) => key.startsWith(start));
  return new Map(own.map(([key, value]) => [key.slice(start.length), value]));
}
