import type { FeatureRecord } from "../../feature/record.ts";

/**
 * How an implementation goes on. `regenerate`: tasks are planned first. `resume`: what is pending is built.
 * `re-execute`: chosen tasks are done again. `ask`: all is done and no task was named, so the user chooses.
 */
export type ImplMode = "regenerate" | "resume" | "re-execute" | "ask";

/** What the user may choose where everything is done already. */
export const AFTER_COMPLETION = ["specify tasks", "re-design", "abort"] as const;

export function implMode(record: FeatureRecord, hasTasksFile: boolean, tasks: readonly string[]): ImplMode {
  const last = record.orchestration.last_phase_action;
  if (!hasTasksFile || last === null) return "regenerate";
  if (last === "tasks-generated") return "resume";
  return tasks.length > 0 ? "re-execute" : "ask";
}
