import type { OperationCall } from "../fault.ts";
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

type ProjectStageName = (typeof PROJECT_STAGES)[number];

export type ProjectDocumentStage = Exclude<ProjectStageName, "init">;
export const PROJECT_DOCUMENT_STAGES = PROJECT_STAGES.filter(
  (stage): stage is ProjectDocumentStage => stage !== "init",
);

export const PROJECT_FLOW: Flow = { stages: PROJECT_STAGES.map((name) => ({ name })) };

/** Sets how much the documents explain and the clarity score needed before design. */
export const PROJECT_MODES = ["guided", "expert"] as const;
export type ProjectMode = (typeof PROJECT_MODES)[number];

const createPlaceholderInput = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, "…"]));

export const PROJECT_STAGE_CALLS: Readonly<Record<ProjectDocumentStage, OperationCall>> = {
  propose: {
    operation: "project.propose",
    input: createPlaceholderInput(
      "problem_statement",
      "target_users",
      "proposed_solution",
      "out_of_scope",
      "success_criteria",
    ),
  },
  specify: {
    operation: "project.specify",
    input: createPlaceholderInput("must_have", "should_have", "non_functional"),
  },
  "business-rules": {
    operation: "project.business-rules",
    input: createPlaceholderInput("definitions", "facts", "constraints"),
  },
  clarify: { operation: "project.clarify" },
  design: {
    operation: "project.design",
    input: createPlaceholderInput("architecture_overview", "tech_stack", "components", "data_model"),
  },
  tasks: { operation: "project.tasks", input: createPlaceholderInput("tasks", "estimated_effort") },
  validate: {
    operation: "project.validate",
    input: { verdict: "PASS", ...createPlaceholderInput("consistency_issues") },
  },
};
