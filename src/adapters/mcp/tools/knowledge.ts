import type { Tool } from "../tool.ts";

export const knowledgeTools: readonly Tool[] = [
  { name: "sdd_knowledge", operation: "knowledge.manage", toolset: "handover" },
];
