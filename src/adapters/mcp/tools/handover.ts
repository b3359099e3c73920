import type { McpTool } from "../tool.ts";

export const HANDOVER_TOOLS: readonly McpTool[] = [
  { name: "sdd_handover", operation: "handover.write", toolset: "handover" },
  { name: "sdd_decide", operation: "handover.decide", toolset: "handover" },
];
