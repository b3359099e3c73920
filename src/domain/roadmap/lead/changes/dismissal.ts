import type { FeatureName } from "../../../feature/name.ts";
import type { LeadAction } from "../action.ts";
import { countFeatureRun } from "./counters.ts";
import type { LeadDraft } from "../draft.ts";
import type { RunCounterKey } from "../ids.ts";

/** Undefined for reviews, which count batches instead, and for questions and commits. */
export function getRunCounter(
  action: LeadAction,
): { readonly feature: FeatureName; readonly key: RunCounterKey } | undefined {
  if (action.kind === "gate") return { feature: action.feature, key: "gate" };
  if (action.kind !== "spawn") return undefined;
  const { work } = action;
  switch (work.of) {
    case "design":
      return { feature: work.feature, key: "architect" };
    case "tasks":
      return { feature: work.feature, key: "tasks" };
    case "build":
      return { feature: work.feature, key: `build-${work.group}` };
    case "review":
      return undefined;
  }
}

export function cancelAssignments(draft: LeadDraft, isMeant: (action: LeadAction) => boolean): void {
  const meant = draft.allOut().filter(({ action }) => isMeant(action));
  for (const { action } of meant) {
    draft.end(action.id);
    draft.effect({ kind: "dismissed", action: action.id });
    const run = getRunCounter(action);
    const record = run && draft.feature(run.feature);
    if (record) draft.keep(countFeatureRun(record, run.key));
  }
}

export function cancelFeatureWork(draft: LeadDraft, name: FeatureName): void {
  cancelAssignments(draft, ({ id }) => id.startsWith(`${name}/`));
  for (const key of draft.reviewKeys()) if (key.startsWith(`${name}/`)) draft.dropReview(key);
}

export function cancelFeatureCommit(draft: LeadDraft, name: FeatureName): void {
  cancelAssignments(draft, (action) => action.kind === "commit" && action.id.startsWith(`${name}/`));
}

/** The batch number of a dropped review is not reused. */
export function cancelReview(draft: LeadDraft, key: string): void {
  cancelAssignments(
    draft,
    (action) => action.kind === "spawn" && action.work.of === "review" && action.work.review === key,
  );
  draft.dropReview(key);
}

export function cancelAllWork(draft: LeadDraft): void {
  cancelAssignments(draft, () => true);
  for (const key of draft.reviewKeys()) draft.dropReview(key);
}
