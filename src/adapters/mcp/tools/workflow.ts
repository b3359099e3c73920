import type { McpTool } from "../tool.ts";

export const WORKFLOW_TOOLS: readonly McpTool[] = [
  { name: "sdd_feature", operation: "workflow.feature", toolset: "workflow" },
  { name: "sdd_bugfix", operation: "workflow.bugfix", toolset: "workflow" },
  { name: "sdd_research", operation: "workflow.research", toolset: "workflow" },
  { name: "sdd_workflow_advance", operation: "workflow.advance", toolset: "workflow" },
  { name: "sdd_workflow_status", operation: "workflow.status", toolset: "workflow" },
  { name: "sdd_workflow_switch", operation: "workflow.switch", toolset: "workflow" },
  { name: "sdd_workflow_prioritize", operation: "workflow.prioritize", toolset: "workflow" },
  { name: "sdd_workflow_abandon", operation: "workflow.abandon", toolset: "workflow" },
  { name: "sdd_workflow_rollback", operation: "workflow.rollback", toolset: "workflow" },
  { name: "sdd_workflow_resume", operation: "workflow.resume", toolset: "workflow" },
  { name: "sdd_workflow_snapshot", operation: "workflow.snapshot", toolset: "workflow" },
  { name: "sdd_lock", operation: "workflow.lock", toolset: "workflow" },
  { name: "sdd_conflicts", operation: "workflow.conflicts", toolset: "workflow" },
  { name: "sdd_workflow_stats", operation: "workflow.stats", toolset: "workflow" },
];
