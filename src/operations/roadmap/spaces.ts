import type { Problem } from "#domain/gate/verdict.ts";
import type { KnowledgeTag } from "#domain/knowledge/tag.ts";
import type { ActionAssignment, OpenReview, RoadmapRun } from "#domain/roadmap/lead/state.ts";
import type { LedgerSpace, StoreTree } from "../ports/store.ts";

/** Keyed by checkout, because the records are files of that checkout. */
export const RUN_SPACE: LedgerSpace<RoadmapRun> = { name: "roadmap-run" };
/** Keyed by checkout and scope, separated by a space. */
export const OPEN_REVIEW_SPACE: LedgerSpace<OpenReview> = { name: "roadmap-review" };
export const ASSIGNMENT_SPACE: LedgerSpace<ActionAssignment> = { name: "roadmap-out" };

export interface SpendingTotals {
  readonly runs: number;
  readonly estimated: number;
  /** `reports` counts the runs with a reported cost. `expected` is their estimate, `reported` their actual cost. */
  readonly reports: number;
  readonly expected: number;
  readonly reported: number;
}
export const SPENDING_SPACE: LedgerSpace<SpendingTotals> = { name: "roadmap-spent" };

/**
 * Lessons from agents. The end of a wave turns them into knowledge. Keyed by checkout and content, so each is stored
 * once.
 */
export const TAG_SPACE: LedgerSpace<KnowledgeTag> = { name: "roadmap-tag" };

export interface ReportRejection {
  readonly action: string;
  readonly problems: readonly Problem[];
}
/** Keyed by checkout and work, without the run number. */
export const REJECTION_SPACE: LedgerSpace<ReportRejection> = { name: "roadmap-refused" };

/** The session must stop this action. It learns that with its next call. */
export interface StopRequest {
  readonly session: string;
  readonly at: string;
}
export const STOP_REQUEST_SPACE: LedgerSpace<StopRequest> = { name: "roadmap-dismissed" };

/** A group whose work ended. Changes in its files do not count against agents still at work. */
export interface FinishedGroup {
  readonly at: string;
  readonly files: readonly string[];
}
/** Keyed by checkout, feature and group. Deleted when no agent from that time is left. */
export const FINISHED_GROUP_SPACE: LedgerSpace<FinishedGroup> = { name: "roadmap-built" };

export const createCheckoutKey = (checkout: string, name: string): string => `${checkout} ${name}`;

/** Entries of one checkout, without the checkout in the key. */
export function loadCheckoutEntries<T>(tree: StoreTree, space: LedgerSpace<T>, checkout: string): Map<string, T> {
  const start = createCheckoutKey(checkout, "");
  const own = [...tree.kept(space)].filter(([key]) => key.startsWith(start));
  return new Map(own.map(([key, value]) => [key.slice(start.length), value]));
}
