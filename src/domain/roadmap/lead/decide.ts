import { samePath } from "../../feature/file-path.ts";
import type { ReviewKind } from "../../review/finding.ts";
import type { Action, Spawn, Work } from "./action.ts";
import { capOf, dueOf, dueOfAll, dueOfReview, dueOfWaves } from "./next/due.ts";
import { idleBecause } from "./next/idle.ts";
import { ask } from "./next/question.ts";
import type { HandedOut, Lead, Scope } from "./state.ts";
import { STANDING_ALONE, viewOf, waveOf } from "./view.ts";

/** What there is to do now. The same state gives the same decision. */
export interface Decision {
  /** What is due and nobody is at work on, in the order of waves and names. */
  readonly actions: readonly Action[];
  /** Reviews to begin: whoever carries this out knows the hash and the batch, begins them and decides again. */
  readonly reviews: readonly ReviewDue[];
  readonly out: readonly HandedOut[];
  /** Why nothing is due; nothing where something is. */
  readonly idle: string | null;
}

export interface ReviewDue {
  readonly kind: "review-due";
  readonly review: ReviewKind;
  readonly scope: Scope;
}

type Build = Spawn & { readonly work: Extract<Work, { of: "build" }> };

export function decide(lead: Lead): Decision {
  const out = [...lead.out.values()];
  const { actions, reviews } = dueNow(lead);
  const isIdle = actions.length === 0 && reviews.length === 0;
  return { actions, reviews, out, idle: isIdle ? idleBecause(lead) : null };
}

function dueNow(lead: Lead): Pick<Decision, "actions" | "reviews"> {
  const cap = capOf(lead);
  if (cap === "spent") {
    const question = ask.cap(lead);
    return { actions: lead.out.has(question.id) ? [] : [question], reviews: [] };
  }
  const view = viewOf(lead);
  const actions: Action[] = [];
  const reviews: ReviewDue[] = [];
  for (const [key, review] of lead.reviews) actions.push(...dueOfReview(lead, key, review));
  const building = new Set<number>();
  for (const record of view.order) {
    const due = dueOf(view, record);
    for (const action of due.actions) actions.push(action);
    for (const review of due.reviews) reviews.push(review);
    if (due.actions.some(isBuild)) building.add(waveOf(record));
  }
  const waves = dueOfWaves(view);
  actions.push(...waves.actions, ...dueOfAll(lead));
  reviews.push(...waves.reviews);
  // In one wave, whoever claims what another has does not build at the same time.
  const isApart = building.size < 2 && !building.has(STANDING_ALONE);
  if (cap === "open") return { actions: isApart ? actions : withoutSharedFiles(lead, actions), reviews };
  // Whoever is at work may use up what is left: only what costs nothing goes on.
  return { actions: actions.filter(({ kind }) => kind !== "spawn"), reviews: [] };
}

const isBuild = (action: Action): action is Build => action.kind === "spawn" && action.work.of === "build";

/** Features of different waves may claim one file; whoever comes first has it, the other waits. */
function withoutSharedFiles({ features }: Lead, actions: readonly Action[]): readonly Action[] {
  const holders = new Map<string, string>();
  return actions.filter((action) => {
    if (!isBuild(action)) return true;
    const { feature, group } = action.work;
    const its = features.get(feature)?.implementation.groups.find(({ id }) => id === group);
    const files = its?.files.map(samePath) ?? [];
    if (files.some((file) => (holders.get(file) ?? feature) !== feature)) return false;
    for (const file of files) holders.set(file, feature);
    return true;
  });
}
