import type { FeatureRecord } from "../feature/feature-record.ts";

export type PhaseOperation = "design" | "impl" | "review-design" | "review-impl";

export type PhaseGate =
  | { readonly kind: "open" }
  | { readonly kind: "confirm"; readonly question: string }
  | { readonly kind: "closed"; readonly problem: string };

export function checkPhaseGate(record: FeatureRecord, operation: PhaseOperation): PhaseGate {
  const name = record.feature_name;
  switch (record.phase) {
    case "blocked":
      return createClosedGate(`${name} is blocked by ${record.blocked_info?.blocked_by.join(", ") ?? name}`);
    case "initialized":
      if (operation === "design") return { kind: "open" };
      return createClosedGate(
        operation === "impl"
          ? `Phase is 'initialized'. Run \`sdd_design ${name}\` first.`
          : `Design required. Run \`sdd_design ${name}\` first.`,
      );
    case "design-generated":
      if (operation !== "review-impl") return { kind: "open" };
      return createClosedGate(`Phase is 'design-generated'. Run \`sdd_impl ${name}\` first.`);
    case "implementation-complete":
      if (operation !== "design") return { kind: "open" };
      return {
        kind: "confirm",
        question: `Re-designing ${name} will invalidate the current implementation. Proceed?`,
      };
    default:
      return createClosedGate(`Unknown phase '${String(record.phase satisfies never)}'`);
  }
}

const createClosedGate = (problem: string): PhaseGate => ({ kind: "closed", problem });

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
