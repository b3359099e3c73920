import type { Tool } from "../tool.ts";

export const contextTools: readonly Tool[] = [
  { name: "sdd_context_check", operation: "context.check", title: "Check what is there", toolset: "context" },
  { name: "sdd_suggest_context", operation: "context.suggest", title: "Suggest what to read", toolset: "context" },
  { name: "sdd_audit", operation: "context.audit", title: "Compare specs and code", toolset: "context" },
];
