import type { Tool } from "../tool.ts";

export const workflowTools: readonly Tool[] = [
  { name: "sdd_feature", operation: "workflow.feature", title: "Begin feature", toolset: "workflow" },
  { name: "sdd_bugfix", operation: "workflow.bugfix", title: "Begin bugfix", toolset: "workflow" },
  { name: "sdd_research", operation: "workflow.research", title: "Begin research", toolset: "workflow" },
  { name: "sdd_workflow_advance", operation: "workflow.advance", title: "End stage", toolset: "workflow" },
  { name: "sdd_workflow_status", operation: "workflow.status", title: "Show what is under way", toolset: "workflow" },
  { name: "sdd_workflow_switch", operation: "workflow.switch", title: "Go on with another", toolset: "workflow" },
  { name: "sdd_workflow_prioritize", operation: "workflow.prioritize", title: "Set priority", toolset: "workflow" },
  { name: "sdd_workflow_abandon", operation: "workflow.abandon", title: "Abandon workflow", toolset: "workflow" },
  { name: "sdd_workflow_rollback", operation: "workflow.rollback", title: "Roll workflow back", toolset: "workflow" },
  { name: "sdd_workflow_resume", operation: "workflow.resume", title: "Resume workflow", toolset: "workflow" },
  { name: "sdd_workflow_snapshot", operation: "workflow.snapshot", title: "Take snapshot", toolset: "workflow" },
  { name: "sdd_lock", operation: "workflow.lock", title: "Lock files", toolset: "workflow" },
  { name: "sdd_conflicts", operation: "workflow.conflicts", title: "Compare two workflows", toolset: "workflow" },
  { name: "sdd_workflow_stats", operation: "workflow.stats", title: "Figures of the work", toolset: "workflow" },
];
