import { samePath } from "../../../feature/file-path.ts";
import type { Action, Spawn, Work } from "../action.ts";
import type { ReviewDue } from "../decide.ts";
import type { Lead } from "../state.ts";
import { STANDING_ALONE, viewOf, waveOf } from "../view.ts";
import { type Due, dueOf, dueOfAll, dueOfReview, dueOfWaves } from "./due.ts";

type Build = Spawn & { readonly work: Extract<Work, { of: "build" }> };

/** Ignores the token cap. */
export function allDue(lead: Lead): Due {
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
  // Inside one wave, the claims already keep shared files apart.
  const isApart = building.size < 2 && !building.has(STANDING_ALONE);
  return { actions: isApart ? actions : withoutSharedFiles(lead, actions), reviews };
}

const isBuild = (action: Action): action is Build => action.kind === "spawn" && action.work.of === "build";

/** Features of different waves may claim the same file. The first one gets it. */
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
