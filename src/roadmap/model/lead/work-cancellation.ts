import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { LeadAction, FeatureGoal } from "./lead-state.ts";
import { countFeatureRun } from "./feature-counters.ts";
import type { LeadDraft } from "./lead-draft.ts";
import type { RunCounterKey } from "./action-ids.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { hasFailedReview } from "./wave-progress.ts";

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

function cancelAllWork(draft: LeadDraft): void {
  cancelAssignments(draft, () => true);
  for (const key of draft.reviewKeys()) draft.dropReview(key);
}

/** Cancelled work becomes pending again when the run resumes. Reviews start over. */
export function stopRoadmapRun(draft: LeadDraft, why: string): void {
  cancelAllWork(draft);
  draft.changeRun({ isOn: false, stopped: sanitizeText(why, 300), goals: {} });
}

export function setFeatureGoal(draft: LeadDraft, name: FeatureName, goal: FeatureGoal): void {
  const { goals, isOn } = draft.run;
  // A run already takes every roadmap feature to `done`.
  if (isOn && draft.feature(name)?.roadmap) return;
  if (Object.hasOwn(goals, name) && goals[name] === goal) return;
  draft.changeRun({ goals: { ...goals, [name]: goal } });
}

/** Also cancels the feature's offered commit. */
export function dropFeatureGoal(draft: LeadDraft, name: FeatureName): void {
  const { goals } = draft.run;
  if (!Object.hasOwn(goals, name)) return;
  cancelFeatureCommit(draft, name);
  draft.changeRun({ goals: Object.fromEntries(Object.entries(goals).filter(([other]) => other !== name)) });
}

/** The goal `implementation` ends with the commit offer instead. */
export function endReachedGoal(draft: LeadDraft, name: FeatureName): void {
  const record = draft.feature(name);
  const goal = Object.hasOwn(draft.run.goals, name) ? draft.run.goals[name] : undefined;
  if (!record || goal === undefined || record.fix !== null) return;
  const isDesigned = record.phase === "design-generated" && !hasFailedReview(record.reviews.design);
  if (goal === "design" && isDesigned) dropFeatureGoal(draft, name);
  if (goal === "tasks" && record.orchestration.last_phase_action === "tasks-generated") dropFeatureGoal(draft, name);
}
