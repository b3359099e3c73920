import type { Tool } from "../tool.ts";

export const adoptTools: readonly Tool[] = [
  { name: "sdd_reverse_engineer", operation: "adopt.scan", title: "Scan existing code", toolset: "adopt" },
  { name: "sdd_bootstrap", operation: "adopt.bootstrap", title: "Draft specs from code", toolset: "adopt" },
];
