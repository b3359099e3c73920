import type { AgentRole, WorkflowRole } from "./role.ts";
import { type AgentFacts, ROADMAP_ROLES } from "./roles.ts";

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
