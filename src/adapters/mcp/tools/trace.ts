import type { McpTool } from "../tool.ts";

export const TRACE_TOOLS: readonly McpTool[] = [
  { name: "sdd_trace", operation: "trace.show", toolset: "index" },
  { name: "sdd_drift", operation: "trace.drift", toolset: "index" },
  { name: "sdd_impact", operation: "trace.impact", toolset: "index" },
];
