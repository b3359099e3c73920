import type { McpTool } from "../tool.ts";

export const KNOWLEDGE_TOOLS: readonly McpTool[] = [
  { name: "sdd_knowledge", operation: "knowledge.manage", toolset: "handover" },
];
