import type { Call } from "../fault.ts";
import type { Flow } from "../flow/flow.ts";

export const PROJECT_STAGES = [
  "init",
  "propose",
  "specify",
  "business-rules",
  "clarify",
  "design",
  "tasks",
  "validate",
] as const;

type ProjectStage = (typeof PROJECT_STAGES)[number];

export type WrittenStage = Exclude<ProjectStage, "init">;
export const WRITTEN_STAGES = PROJECT_STAGES.filter((stage): stage is WrittenStage => stage !== "init");

export const PROJECT_FLOW: Flow = { stages: PROJECT_STAGES.map((name) => ({ name })) };

/** Sets how much the documents explain and the clarity score needed before design. */
export const MODES = ["guided", "expert"] as const;
export type Mode = (typeof MODES)[number];

const blank = (...names: string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, "…"]));

export const STAGE_CALLS: Readonly<Record<WrittenStage, Call>> = {
  propose: {
    operation: "project.propose",
    input: blank("problem_statement", "target_users", "proposed_solution", "out_of_scope", "success_criteria"),
  },
  specify: { operation: "project.specify", input: blank("must_have", "should_have", "non_functional") },
  "business-rules": { operation: "project.business-rules", input: blank("definitions", "facts", "constraints") },
  clarify: { operation: "project.clarify" },
  design: {
    operation: "project.design",
    input: blank("architecture_overview", "tech_stack", "components", "data_model"),
  },
  tasks: { operation: "project.tasks", input: blank("tasks", "estimated_effort") },
  validate: { operation: "project.validate", input: { verdict: "PASS", ...blank("consistency_issues") } },
};
