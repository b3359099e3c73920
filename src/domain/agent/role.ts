import type { ReviewKind } from "../review/finding.ts";

export const INSPECTORS = {
  design: ["rulebase", "testability", "architecture", "consistency", "best-practices"],
  impl: ["impl-rulebase", "interface", "test", "quality", "impl-consistency"],
  "dead-code": ["dead-settings", "dead-code", "dead-specs", "dead-tests"],
} as const satisfies Record<ReviewKind, readonly string[]>;

type Inspector = (typeof INSPECTORS)[ReviewKind][number];
type Auditor = `auditor-${ReviewKind}`;

/** What an agent is asked to be. */
export type Role = "architect" | "task-generator" | "builder" | `inspector-${Inspector}` | Auditor;

/** Whom the stages of a workflow ask: for its spec, then its tests, then its code. */
export const WORKFLOW_ROLES = ["spec-agent", "test-agent", "impl-agent"] as const;
export type WorkflowRole = (typeof WORKFLOW_ROLES)[number];

/** Everybody who has a text; the Lead is whoever asks the engine what is due, and spawns the others. */
export type AgentRole = Role | WorkflowRole | "lead";
