import type { McpTool } from "../tool.ts";

export const EXPLORE_TOOLS: readonly McpTool[] = [
  { name: "sdd_explore", operation: "explore.record", toolset: "explore" },
];
