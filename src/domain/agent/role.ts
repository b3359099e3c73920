import type { ReviewKind } from "../review/finding.ts";

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
