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

const STAGE_ARGUMENTS: Readonly<Record<ProjectDocumentStage, string>> = {
  propose: "problem_statement target_users proposed_solution out_of_scope success_criteria",
  specify: "must_have should_have non_functional",
  "business-rules": "definitions facts constraints",
  clarify: "",
  design: "architecture_overview tech_stack components data_model",
  tasks: "tasks estimated_effort",
  validate: "verdict consistency_issues",
};

/** The call that writes the document of each stage, with blanks to fill in. */
export const PROJECT_STAGE_CALLS = Object.fromEntries(
  PROJECT_DOCUMENT_STAGES.map((stage): [ProjectDocumentStage, OperationCall] => {
    const names = STAGE_ARGUMENTS[stage].split(" ").filter((name) => name !== "");
    const input = Object.fromEntries(names.map((name) => [name, name === "verdict" ? "PASS" : "…"]));
    return [stage, { operation: `project.${stage}`, ...(names.length > 0 ? { input } : {}) }];
  }),
) as Readonly<Record<ProjectDocumentStage, OperationCall>>;

export const PROJECT_VERDICTS = ["PASS", "PASS_WITH_WARNINGS", "FAIL"] as const;
export type ProjectVerdict = (typeof PROJECT_VERDICTS)[number];

export const CLARITY_DIMENSIONS = {
  target_users: { weight: 8, asks: 'Who are the users, by role and need? "Users" is not an answer.' },
  core_functionality: { weight: 10, asks: "What does it do, step by step, for the most important case?" },
  data_model: { weight: 7, asks: "Which things does it store, and how are they related?" },
  integrations: { weight: 6, asks: "Which other systems does it talk to, and what if they are down?" },
  edge_cases: { weight: 8, asks: "What goes wrong, and what happens then?" },
  security: { weight: 7, asks: "Who may do what, and what must stay hidden?" },
  scale_performance: { weight: 5, asks: "How many, how fast, how large, in numbers?" },
  scope_boundaries: { weight: 9, asks: "What does it not do?" },
} as const;

export type ClarityDimension = keyof typeof CLARITY_DIMENSIONS;
export const CLARITY_DIMENSION_NAMES = Object.keys(CLARITY_DIMENSIONS) as ClarityDimension[];
