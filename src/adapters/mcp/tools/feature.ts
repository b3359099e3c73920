import type { McpTool } from "../tool.ts";

export const FEATURE_TOOLS: readonly McpTool[] = [
  { name: "sdd_design", operation: "feature.design", toolset: "roadmap" },
  { name: "sdd_impl", operation: "feature.impl", toolset: "roadmap" },
];
