import type { McpTool } from "../tool.ts";

export const CONTEXT_TOOLS: readonly McpTool[] = [
  { name: "sdd_context_check", operation: "context.check", toolset: "context" },
  { name: "sdd_suggest_context", operation: "context.suggest", toolset: "context" },
  { name: "sdd_audit", operation: "context.audit", toolset: "context" },
];
