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
