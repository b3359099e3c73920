import type { Tool } from "../tool.ts";

export const contextTools: readonly Tool[] = [
  { name: "sdd_context_check", operation: "context.check", toolset: "context" },
  { name: "sdd_suggest_context", operation: "context.suggest", toolset: "context" },
  { name: "sdd_audit", operation: "context.audit", toolset: "context" },
];
