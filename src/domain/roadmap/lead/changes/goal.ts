import type { FeatureName } from "../../../feature/name.ts";
import { hasFailedReview } from "../next/done.ts";
import { cancelFeatureCommit } from "./dismissal.ts";
import type { LeadDraft } from "../draft.ts";
import type { FeatureGoal } from "../state.ts";

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
