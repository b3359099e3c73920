import { mostPressing, type Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { Applied, LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../engine.ts";
import type { LedgerEntry, StoreTree } from "../ports/store.ts";
import { keptOf, keyIn, REFUSED, type Refusal } from "./spaces.ts";

/** `user-login/build-A/2` is a run of `user-login/build-A`. A reviewer's id has no run number. */
const workOf = (action: string): string => action.replace(/\/\d+$/, "");

export const refusedBefore = (
  tree: StoreTree,
  { checkout }: Pick<Engine, "checkout">,
  action: string,
): readonly Problem[] => tree.kept(REFUSED).get(keyIn(checkout, workOf(action)))?.problems ?? [];

export function refusedKept(
  tree: StoreTree,
  { checkout }: Pick<Engine, "checkout">,
  { before }: { readonly before: Lead },
  events: readonly LeadEvent[],
  applied: readonly Applied[],
): LedgerEntry[] {
  const known = keptOf(tree, REFUSED, checkout);
  const after = new Map(known);
  for (const [i, event] of events.entries()) {
    const outcome = applied[i];
    if (event.kind === "feature-removed") forget(after, (work) => work.startsWith(`${event.feature}/`));
    if (!outcome || outcome.kind === "repeated") continue;
    // Other work replaces a stopped action, so its old problems no longer apply.
    for (const effect of outcome.effects) if (effect.kind === "dismissed") after.delete(workOf(effect.action));
    if (event.kind !== "reported") continue;
    if (outcome.kind === "applied") after.delete(workOf(event.action));
    else if (before.out.get(event.action)?.action.kind === "spawn")
      after.set(workOf(event.action), { action: event.action, problems: mostPressing(outcome.problems).map(inShort) });
  }
  const gone = [...known.keys()].filter((work) => !after.has(work));
  const told = [...after].filter(([work, refusal]) => known.get(work) !== refusal);
  return [
    ...gone.map((work) => ({ space: REFUSED.name, key: keyIn(checkout, work) })),
    ...told.map(([work, value]) => ({ space: REFUSED.name, key: keyIn(checkout, work), value })),
  ];
}

function forget(refusals: Map<string, Refusal>, isOver: (work: string) => boolean): void {
  for (const work of refusals.keys()) if (isOver(work)) refusals.delete(work);
}

const inShort = ({ problem, line }: Problem): Problem => ({
  problem: sanitizeText(problem, 500),
  ...(line === undefined ? {} : { line }),
});
