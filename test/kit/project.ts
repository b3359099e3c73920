import type { OperationId } from "#doors/catalogue.ts";

type Input = Readonly<Record<string, unknown>>;

/** A project from its idea to its tasks, stage by stage. */
export const TIDES = {
  init: { name: "Tide tables", description: "Harbour staff see the next tides" },
  propose: {
    problem_statement: "Harbour masters copy tide times by hand every morning, and two days of ten carry a slip.",
    target_users: "Harbour masters who plan berths; pilots who need the depth at a gate.",
    proposed_solution: "A page that shows the next 48 hours of tides for one harbour.",
    out_of_scope: "Weather and currents are not shown.",
    success_criteria: "After a month no copied table is found in the office.",
  },
  specify: {
    must_have: "- When a harbour is chosen, the page shall show its tides of the next 48 hours.",
    should_have: "- If the server cannot be reached, then the page shall show the last table and its age.",
    non_functional: "- The page shall answer within 200 ms for 500 visitors at once.",
  },
  "business-rules": {
    definitions: "- **Tide**: the height of the water at a time\n- **Gate**: a lock that ships pass",
    facts: "A Harbour has one or more Gates.",
    constraints: "- When the depth is under 4 m, then the Gate is closed, otherwise it may open.",
  },
  clarify: {
    answers: "Who may see it?\nEverybody on the harbour's network; nobody may change a table.",
    dimension_scores: [
      { dimension: "target_users", score: 90, evidence: "Harbour masters who plan berths" },
      { dimension: "core_functionality", score: 90, evidence: "show its tides of the next 48 hours" },
      { dimension: "data_model", score: 70, evidence: "A Harbour has one or more Gates" },
      { dimension: "integrations", score: 0, waiver: "It talks to no other system" },
      { dimension: "edge_cases", score: 80, evidence: "the page shall show the last table and its age" },
      { dimension: "security", score: 90, evidence: "nobody may change a table" },
      { dimension: "scale_performance", score: 90, evidence: "within 200 ms for 500 visitors" },
      { dimension: "scope_boundaries", score: 90, evidence: "Weather and currents are not shown" },
    ],
  },
  design: {
    architecture_overview: "One server computes the tables; one page shows them.",
    tech_stack: "Node, because the office runs it already.",
    components: "### Tables\n\nComputes tides: FR-001, NFR-001, BR-001.\n\n### Page\n\nShows them: FR-001, FR-002.",
    data_model: "One table a harbour and day.",
  },
  tasks: {
    tasks:
      "### TASK-001: Compute the tables\n\nCovers FR-001, NFR-001, BR-001.\n\n### TASK-002: Show them\n\nCovers FR-001, FR-002. Depends on: TASK-001",
    estimated_effort: "Two days",
    total_tasks: 2,
  },
  validate: { verdict: "PASS_WITH_WARNINGS", consistency_issues: "None found." },
} as const satisfies Readonly<Record<string, Input>>;

/** Every call of a project's life, one after another; each is carried out. */
export const PROJECT_LIFE: readonly (readonly [operation: OperationId, input: Input])[] = [
  ["project.init", TIDES.init],
  ["project.propose", TIDES.propose],
  ["project.specify", TIDES.specify],
  ["project.business-rules", TIDES["business-rules"]],
  ["project.clarify", {}],
  ["project.clarify", TIDES.clarify],
  ["project.design", TIDES.design],
  ["project.tasks", TIDES.tasks],
  ["project.validate", TIDES.validate],
  ["project.context", {}],
  ["project.reopen", { stage: "tasks", reason: "Another look" }],
  ["project.confirm", {}],
];
