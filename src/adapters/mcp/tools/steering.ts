import type { McpTool } from "../tool.ts";

export const STEERING_TOOLS: readonly McpTool[] = [
  { name: "sdd_steering", operation: "steering.manage", toolset: "roadmap" },
];
