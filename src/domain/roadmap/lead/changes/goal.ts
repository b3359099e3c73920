import type { FeatureName } from "../../../feature/name.ts";
import { hasFailed } from "../next/done.ts";
import { dismissCommit } from "./dismissal.ts";
import type { Draft } from "../draft.ts";
import type { Goal } from "../state.ts";

/** A feature is to be brought so far, outside of a run. The last word counts. */
export function setGoal(draft: Draft, name: FeatureName, goal: Goal): void {
  const { goals, isOn } = draft.run;
  // A run brings all that is on the roadmap as far as there is.
  if (isOn && draft.feature(name)?.roadmap) return;
  if (Object.hasOwn(goals, name) && goals[name] === goal) return;
  draft.changeRun({ goals: { ...goals, [name]: goal } });
}

/** Nobody wants anything of it for itself any more, nor a commit of it. */
export function dropGoal(draft: Draft, name: FeatureName): void {
  const { goals } = draft.run;
  if (!Object.hasOwn(goals, name)) return;
  dismissCommit(draft, name);
  draft.changeRun({ goals: Object.fromEntries(Object.entries(goals).filter(([other]) => other !== name)) });
}

/** A goal that is reached is over. That of an implementation is, once its commit was offered. */
export function endGoal(draft: Draft, name: FeatureName): void {
  const record = draft.feature(name);
  const goal = Object.hasOwn(draft.run.goals, name) ? draft.run.goals[name] : undefined;
  if (!record || goal === undefined || record.fix !== null) return;
  const isDesigned = record.phase === "design-generated" && !hasFailed(record.reviews.design);
  if (goal === "design" && isDesigned) dropGoal(draft, name);
  if (goal === "tasks" && record.orchestration.last_phase_action === "tasks-generated") dropGoal(draft, name);
}
