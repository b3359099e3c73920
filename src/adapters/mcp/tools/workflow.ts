import type { Tool } from "../tool.ts";

export const workflowTools: readonly Tool[] = [
  { name: "sdd_feature", operation: "workflow.feature", title: "Begin a feature", toolset: "workflow" },
  { name: "sdd_bugfix", operation: "workflow.bugfix", title: "Begin a bugfix", toolset: "workflow" },
  { name: "sdd_research", operation: "workflow.research", title: "Begin a research", toolset: "workflow" },
  { name: "sdd_workflow_advance", operation: "workflow.advance", title: "End the current stage", toolset: "workflow" },
  { name: "sdd_workflow_status", operation: "workflow.status", title: "Show what is under way", toolset: "workflow" },
  { name: "sdd_workflow_switch", operation: "workflow.switch", title: "Go on with another", toolset: "workflow" },
  { name: "sdd_workflow_prioritize", operation: "workflow.prioritize", title: "Set a priority", toolset: "workflow" },
  { name: "sdd_workflow_abandon", operation: "workflow.abandon", title: "Abandon a workflow", toolset: "workflow" },
  { name: "sdd_workflow_rollback", operation: "workflow.rollback", title: "Roll a workflow back", toolset: "workflow" },
  { name: "sdd_workflow_resume", operation: "workflow.resume", title: "Resume a workflow", toolset: "workflow" },
  { name: "sdd_workflow_snapshot", operation: "workflow.snapshot", title: "Take a snapshot", toolset: "workflow" },
  { name: "sdd_lock", operation: "workflow.lock", title: "Lock files", toolset: "workflow" },
  { name: "sdd_conflicts", operation: "workflow.conflicts", title: "Compare two workflows", toolset: "workflow" },
  { name: "sdd_workflow_stats", operation: "workflow.stats", title: "Figures of the work", toolset: "workflow" },
];
