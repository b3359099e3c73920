import type { McpTool } from "../tool.ts";

export const ADR_TOOLS: readonly McpTool[] = [
  { name: "sdd_adr", operation: "adr.record", toolset: "adr" },
  { name: "sdd_adr_status", operation: "adr.status", toolset: "adr" },
  { name: "sdd_adr_list", operation: "adr.list", toolset: "adr" },
];
