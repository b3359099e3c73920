import { normalizePathKey } from "../../../feature/file-path.ts";
import type { LeadAction, SpawnAction, AgentWork } from "../action.ts";
import type { PendingReview } from "../decide.ts";
import type { Lead } from "../state.ts";
import { NO_WAVE, getLeadView, getFeatureWave } from "../view.ts";
import { type PendingWork, listFeatureWork, listGeneralQuestions, listReviewWork, listWaveWork } from "./due.ts";

type BuildAction = SpawnAction & { readonly work: Extract<AgentWork, { of: "build" }> };

/** Ignores the token cap. */
export function listAllPendingWork(lead: Lead): PendingWork {
  const view = getLeadView(lead);
  const actions: LeadAction[] = [];
  const reviews: PendingReview[] = [];
  for (const [key, review] of lead.reviews) actions.push(...listReviewWork(lead, key, review));
  const building = new Set<number>();
  for (const record of view.order) {
    const due = listFeatureWork(view, record);
    for (const action of due.actions) actions.push(action);
    for (const review of due.reviews) reviews.push(review);
    if (due.actions.some(isBuildAction)) building.add(getFeatureWave(record));
  }
  const waves = listWaveWork(view);
  actions.push(...waves.actions, ...listGeneralQuestions(lead));
  reviews.push(...waves.reviews);
  // Inside one wave, the claims already keep shared files apart.
  const isApart = building.size < 2 && !building.has(NO_WAVE);
  return { actions: isApart ? actions : dropSharedFileBuilds(lead, actions), reviews };
}

const isBuildAction = (action: LeadAction): action is BuildAction =>
  action.kind === "spawn" && action.work.of === "build";

/** Features of different waves may claim the same file. The first one gets it. */
function dropSharedFileBuilds({ features }: Lead, actions: readonly LeadAction[]): readonly LeadAction[] {
  const holders = new Map<string, string>();
  return actions.filter((action) => {
    if (!isBuildAction(action)) return true;
    const { feature, group } = action.work;
    const its = features.get(feature)?.implementation.groups.find(({ id }) => id === group);
    const files = its?.files.map(normalizePathKey) ?? [];
    if (files.some((file) => (holders.get(file) ?? feature) !== feature)) return false;
    for (const file of files) holders.set(file, feature);
    return true;
  });
}
