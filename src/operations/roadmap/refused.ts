import { limitShownProblems, type Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { LeadEventResult, LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import type { LedgerEntry, StoreTree } from "../ports/store.ts";
import { loadCheckoutEntries, createCheckoutKey, REJECTION_SPACE, type ReportRejection } from "./spaces.ts";

/** `user-login/build-A/2` is a run of `user-login/build-A`. A reviewer's id has no run number. */
const stripRunNumber = (action: string): string => action.replace(/\/\d+$/, "");

export const listLastRejectionProblems = (
  tree: StoreTree,
  { checkout }: Pick<Engine, "checkout">,
  action: string,
): readonly Problem[] =>
  tree.kept(REJECTION_SPACE).get(createCheckoutKey(checkout, stripRunNumber(action)))?.problems ?? [];

export function planRejectionUpdates(
  tree: StoreTree,
  { checkout }: Pick<Engine, "checkout">,
  { before }: { readonly before: Lead },
  events: readonly LeadEvent[],
  applied: readonly LeadEventResult[],
): LedgerEntry[] {
  const known = loadCheckoutEntries(tree, REJECTION_SPACE, checkout);
  const after = new Map(known);
  for (const [i, event] of events.entries()) {
    const outcome = applied[i];
    if (event.kind === "feature-removed") deleteRejections(after, (work) => work.startsWith(`${event.feature}/`));
    if (!outcome || outcome.kind === "repeated") continue;
    // Other work replaces a stopped action, so its old problems no longer apply.
    for (const effect of outcome.effects) if (effect.kind === "dismissed") after.delete(stripRunNumber(effect.action));
    if (event.kind !== "reported") continue;
    if (outcome.kind === "applied") after.delete(stripRunNumber(event.action));
    else if (before.out.get(event.action)?.action.kind === "spawn")
      after.set(stripRunNumber(event.action), {
        action: event.action,
        problems: limitShownProblems(outcome.problems).map(shortenProblem),
      });
  }
  const gone = [...known.keys()].filter((work) => !after.has(work));
  const told = [...after].filter(([work, refusal]) => known.get(work) !== refusal);
  return [
    ...gone.map((work) => ({ space: REJECTION_SPACE.name, key: createCheckoutKey(checkout, work) })),
    ...told.map(([work, value]) => ({ space: REJECTION_SPACE.name, key: createCheckoutKey(checkout, work), value })),
  ];
}

function deleteRejections(refusals: Map<string, ReportRejection>, isOver: (work: string) => boolean): void {
  for (const work of refusals.keys()) if (isOver(work)) refusals.delete(work);
}

const shortenProblem = ({ problem, line }: Problem): Problem => ({
  problem: sanitizeText(problem, 500),
  ...(line === undefined ? {} : { line }),
});
