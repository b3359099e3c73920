import type { ReviewKind } from "../review/review-finding.ts";

export const REVIEW_INSPECTORS = {
  design: ["rulebase", "testability", "architecture", "consistency", "best-practices"],
  impl: ["impl-rulebase", "interface", "test", "quality", "impl-consistency"],
  "dead-code": ["dead-settings", "dead-code", "dead-specs", "dead-tests"],
} as const satisfies Record<ReviewKind, readonly string[]>;

type InspectorName = (typeof REVIEW_INSPECTORS)[ReviewKind][number];
type AuditorRole = `auditor-${ReviewKind}`;

export type RoadmapRole = "architect" | "task-generator" | "builder" | `inspector-${InspectorName}` | AuditorRole;

export const WORKFLOW_ROLES = ["spec-agent", "test-agent", "impl-agent"] as const;
export type WorkflowRole = (typeof WORKFLOW_ROLES)[number];

/** Every role with a text in `assets/roles`. The Lead asks the engine for actions and starts the other agents. */
export type AgentRole = RoadmapRole | WorkflowRole | "lead";

/** Capabilities of an agent. Each client has its own tool names for them. */
const TOOL_KINDS = ["read", "search", "write", "run", "web", "spawn"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** `implementation` is code without tests, `code` is both. */
export type WriteScope = "spec" | "tests" | "implementation" | "design" | "tasks" | "code";

export interface AgentFacts {
  /** 1 asks the engine and delegates, 2 plans and judges, 3 executes. */
  readonly tier: 1 | 2 | 3;
  /** `deep` for judgement, `swift` for precisely specified and checked work. */
  readonly model: "deep" | "swift";
  readonly tools: readonly ToolKind[];
  /** Engine tools the agent calls itself. Other agents get everything in their brief. */
  readonly engine?: readonly string[];
  /** Null for agents that only read or delegate. */
  readonly writes: WriteScope | null;
  readonly purpose: string;
}

export interface RoleFacts extends AgentFacts {
  readonly tier: 2 | 3;
  readonly budget: number;
  readonly work: number;
  readonly report: "ARCHITECT_COMPLETE" | "TASKGEN_COMPLETE" | "BUILDER_COMPLETE" | "inspection" | "audit";
}

const createInspectorFacts = (purpose: string, facts: Partial<RoleFacts> = {}): RoleFacts => ({
  tier: 3,
  model: "swift",
  tools: ["read", "search"],
  writes: null,
  budget: 5_000,
  work: 25_000,
  report: "inspection",
  purpose,
  ...facts,
});

/** Dead-code inspectors need scripts for their search. */
const createSearcherFacts = (purpose: string): RoleFacts =>
  createInspectorFacts(purpose, { tools: ["read", "search", "run"], work: 40_000 });

const createAuditorFacts = (purpose: string): RoleFacts => ({
  tier: 2,
  model: "deep",
  tools: ["read", "search"],
  writes: null,
  budget: 20_000,
  work: 20_000,
  report: "audit",
  purpose,
});

export const ROADMAP_ROLES: Readonly<Record<RoadmapRole, RoleFacts>> = {
  architect: {
    tier: 2,
    model: "deep",
    tools: ["read", "search", "write", "run", "web"],
    writes: "design",
    budget: 18_000,
    work: 60_000,
    report: "ARCHITECT_COMPLETE",
    purpose: "You find out what a feature needs and design it, so exactly that others build it without asking you.",
  },
  "task-generator": {
    tier: 3,
    model: "swift",
    tools: ["read", "search", "write"],
    writes: "tasks",
    budget: 14_000,
    work: 15_000,
    report: "TASKGEN_COMPLETE",
    purpose: "You part a reviewed design into tasks, and the tasks into groups that Builders do side by side.",
  },
  builder: {
    tier: 3,
    model: "swift",
    tools: ["read", "search", "write", "run"],
    writes: "code",
    budget: 10_000,
    work: 80_000,
    report: "BUILDER_COMPLETE",
    purpose: "You build one group of tasks from the design, tests first.",
  },
  "inspector-rulebase": createInspectorFacts("You see whether a design has the form that others rely on."),
  "inspector-testability": createInspectorFacts("You see whether every criterion of a design can be tested."),
  "inspector-architecture": createInspectorFacts(
    "You see whether the parts of a design fit together and can be built apart.",
  ),
  "inspector-consistency": createInspectorFacts(
    "You see whether a design agrees with itself and does what its specs ask.",
  ),
  "inspector-best-practices": createInspectorFacts("You see whether a design does what is known to work, and safely.", {
    tools: ["read", "search", "web"],
    work: 40_000,
  }),
  "inspector-impl-rulebase": createInspectorFacts("You see whether all that was planned is there, and nothing else."),
  "inspector-interface": createInspectorFacts("You see whether code is called, and can be called, as the design says."),
  "inspector-test": createInspectorFacts(
    "You see whether the tests pass, and whether they would notice if the code were wrong.",
    {
      tools: ["read", "search", "run"],
      work: 40_000,
    },
  ),
  "inspector-quality": createInspectorFacts("You see whether code is as the project wants its code to be."),
  "inspector-impl-consistency": createInspectorFacts("You see whether features agree with each other in code."),
  "inspector-dead-settings": createSearcherFacts("You find settings that nothing reads."),
  "inspector-dead-code": createSearcherFacts("You find code that nothing reaches."),
  "inspector-dead-specs": createSearcherFacts("You find specs that code no longer keeps."),
  "inspector-dead-tests": createSearcherFacts("You find tests that protect nothing."),
  "auditor-design": createAuditorFacts(
    "You make one judgement of what inspectors found in a design, and check it yourself.",
  ),
  "auditor-impl": createAuditorFacts("You make one judgement of what inspectors found in code, and check it yourself."),
  "auditor-dead-code": createAuditorFacts(
    "You make one judgement of what inspectors hold for dead, and check it yourself.",
  ),
};

export const ROADMAP_ROLE_NAMES = Object.keys(ROADMAP_ROLES) as RoadmapRole[];

export const SHARED_PARTS = [
  "auditor",
  "cpf",
  "frozen",
  "ground",
  "handing-in",
  "inspector",
  "material",
  "records",
  "scope",
  "scripts",
  "severity",
  "steering-lines",
  "tags",
  "verdict",
] as const;

const TOOL_KIND_TEXTS: Readonly<Record<ToolKind, string>> = {
  read: "read files",
  search: "search in them",
  write: "write files",
  run: "run commands",
  web: "look in the web",
  spawn: "start other agents",
};

export function formatAllowedTools({ tools }: Pick<RoleFacts, "tools">): string {
  const all = TOOL_KINDS.filter((kind) => tools.includes(kind)).map((kind) => TOOL_KIND_TEXTS[kind]);
  return [all.slice(0, -1).join(", "), ...all.slice(-1)].filter((text) => text !== "").join(" and ");
}

/**
 * The largest possible brief plus the expected work. The work values are guesses; the ledger stores each estimate
 * beside the reported cost, to correct them later.
 */
export const estimateRoleTokens = (role: RoadmapRole): number => ROADMAP_ROLES[role].budget + ROADMAP_ROLES[role].work;

/** A gate checks the result, so these roles have no report to parse. */
interface WorkflowAgentFacts extends AgentFacts {
  readonly budget: number;
  readonly stages: readonly string[];
}

export const WORKFLOW_AGENTS: Readonly<Record<WorkflowRole, WorkflowAgentFacts>> = {
  "spec-agent": {
    tier: 2,
    model: "deep",
    tools: ["read", "search", "write"],
    engine: ["sdd_spec_validate", "sdd_query", "mem_search"],
    writes: "spec",
    budget: 12_000,
    stages: ["specify", "specify-fix"],
    purpose: "You make a spec so plain that somebody else could build it, and somebody else again could test it.",
  },
  "test-agent": {
    tier: 3,
    model: "swift",
    tools: ["read", "search", "write", "run"],
    engine: ["sdd_query"],
    writes: "tests",
    budget: 12_000,
    stages: ["implement", "fix"],
    purpose: "You write the tests of a spec before there is code, and see each of them fail.",
  },
  "impl-agent": {
    tier: 3,
    model: "swift",
    tools: ["read", "search", "write", "run"],
    engine: ["sdd_query", "sdd_impact"],
    writes: "implementation",
    budget: 12_000,
    stages: ["implement", "fix"],
    purpose: "You write the code that makes tests pass which others wrote, and touch none of them.",
  },
};

const LEAD_AGENT: AgentFacts = {
  tier: 1,
  model: "deep",
  tools: ["read", "search", "run", "spawn"],
  engine: [
    "sdd_next",
    "sdd_report",
    "sdd_roadmap",
    "sdd_design",
    "sdd_review",
    "sdd_impl",
    "sdd_status",
    "sdd_steering",
    "sdd_stack",
    "sdd_decide",
    "sdd_handover",
  ],
  writes: null,
  purpose: "You ask the engine what is due, have the right agent do it, and hand in what that one says.",
};

export const AGENTS: Readonly<Record<AgentRole, AgentFacts>> = {
  lead: LEAD_AGENT,
  ...WORKFLOW_AGENTS,
  ...ROADMAP_ROLES,
};

export const AGENT_ROLES = Object.keys(AGENTS) as AgentRole[];
