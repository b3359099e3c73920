import type { Flow } from "../flow/flow.ts";

/** From an idea to tasks that are known to cover it. */
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

export type ProjectStage = (typeof PROJECT_STAGES)[number];

export const PROJECT_FLOW: Flow = { stages: PROJECT_STAGES.map((name) => ({ name })) };

/** How much the documents explain, and how clear things must be before design begins. */
export const MODES = ["guided", "expert"] as const;
export type Mode = (typeof MODES)[number];
