import type { FeatureRecord } from "../../feature/record.ts";

/**
 * How an implementation continues. `regenerate`: plan tasks first. `resume`: build pending groups. `re-execute`: repeat
 * selected tasks. `ask`: everything is done and no task is selected, so the user chooses.
 */
export type ImplMode = "regenerate" | "resume" | "re-execute" | "ask";

export const COMPLETED_CHOICES = ["specify tasks", "re-design", "abort"] as const;

export function chooseImplMode(record: FeatureRecord, hasTasksFile: boolean, tasks: readonly string[]): ImplMode {
  const last = record.orchestration.last_phase_action;
  if (!hasTasksFile || last === null) return "regenerate";
  if (last === "tasks-generated") return "resume";
  return tasks.length > 0 ? "re-execute" : "ask";
}
