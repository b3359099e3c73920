import type { McpTool } from "../tool.ts";

export const ROADMAP_TOOLS: readonly McpTool[] = [
  { name: "sdd_roadmap", operation: "roadmap.manage", toolset: "roadmap" },
  { name: "sdd_next", operation: "roadmap.next", toolset: "roadmap" },
  { name: "sdd_report", operation: "roadmap.report", toolset: "roadmap" },
];
