import type { OperationCall } from "../fault.ts";
import type { Flow } from "../flow/flow-engine.ts";

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

export const PROJECT_FLOW: Flow<ProjectStageName> = { stages: PROJECT_STAGES.map((name) => ({ name })) };

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

export const PROJECT_VERDICTS = ["PASS", "PASS_WITH_WARNINGS", "FAIL"] as const;
export type ProjectVerdict = (typeof PROJECT_VERDICTS)[number];

export const CLARITY_DIMENSIONS = {
  target_users: { weight: 8, asks: 'Who are the users, by role and need? "Users" is no answer.' },
  core_functionality: { weight: 10, asks: "What does it do, step by step, for the most important case?" },
  data_model: { weight: 7, asks: "Which things does it keep, and how do they belong together?" },
  integrations: { weight: 6, asks: "Which other systems does it talk to, and what if they are down?" },
  edge_cases: { weight: 8, asks: "What goes wrong, and what happens then?" },
  security: { weight: 7, asks: "Who may do what, and what must nobody see?" },
  scale_performance: { weight: 5, asks: "How many, how fast, how large, in numbers?" },
  scope_boundaries: { weight: 9, asks: "What does it not do?" },
} as const;

export type ClarityDimension = keyof typeof CLARITY_DIMENSIONS;
export const CLARITY_DIMENSION_NAMES = Object.keys(CLARITY_DIMENSIONS) as ClarityDimension[];
