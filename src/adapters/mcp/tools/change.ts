import type { McpTool } from "../tool.ts";

export const CHANGE_TOOLS: readonly McpTool[] = [
  { name: "sdd_change", operation: "change.start", toolset: "change" },
  { name: "sdd_change_advance", operation: "change.advance", toolset: "change" },
  { name: "sdd_change_status", operation: "change.status", toolset: "change" },
  { name: "sdd_change_list", operation: "change.list", toolset: "change" },
  { name: "sdd_change_reopen", operation: "change.reopen", toolset: "change" },
  { name: "sdd_change_resize", operation: "change.resize", toolset: "change" },
  { name: "sdd_change_review", operation: "change.review", toolset: "change" },
  { name: "sdd_change_abandon", operation: "change.abandon", toolset: "change" },
  { name: "sdd_change_archive", operation: "change.archive", toolset: "change" },
];
