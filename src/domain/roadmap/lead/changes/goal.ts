import type { FeatureName } from "../../../feature/name.ts";
import { hasFailed } from "../next/done.ts";
import { dismissCommit } from "./dismissal.ts";
import type { Draft } from "../draft.ts";
import type { Goal } from "../state.ts";

export function setGoal(draft: Draft, name: FeatureName, goal: Goal): void {
  const { goals, isOn } = draft.run;
  // A run already takes every roadmap feature to `done`.
  if (isOn && draft.feature(name)?.roadmap) return;
  if (Object.hasOwn(goals, name) && goals[name] === goal) return;
  draft.changeRun({ goals: { ...goals, [name]: goal } });
}

/** Also cancels the feature's offered commit. */
export function dropGoal(draft: Draft, name: FeatureName): void {
  const { goals } = draft.run;
  if (!Object.hasOwn(goals, name)) return;
  dismissCommit(draft, name);
  draft.changeRun({ goals: Object.fromEntries(Object.entries(goals).filter(([other]) => other !== name)) });
}

/** The goal `implementation` ends with the commit offer instead. */
export function endGoal(draft: Draft, name: FeatureName): void {
  const record = draft.feature(name);
  const goal = Object.hasOwn(draft.run.goals, name) ? draft.run.goals[name] : undefined;
  if (!record || goal === undefined || record.fix !== null) return;
  const isDesigned = record.phase === "design-generated" && !hasFailed(record.reviews.design);
  if (goal === "design" && isDesigned) dropGoal(draft, name);
  if (goal === "tasks" && record.orchestration.last_phase_action === "tasks-generated") dropGoal(draft, name);
}
