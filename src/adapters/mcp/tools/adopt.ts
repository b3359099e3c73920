import type { McpTool } from "../tool.ts";

export const ADOPT_TOOLS: readonly McpTool[] = [
  { name: "sdd_reverse_engineer", operation: "adopt.scan", toolset: "adopt" },
  { name: "sdd_bootstrap", operation: "adopt.bootstrap", toolset: "adopt" },
];
