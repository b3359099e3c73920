import type { Tool } from "../tool.ts";

export const adoptTools: readonly Tool[] = [
  { name: "sdd_reverse_engineer", operation: "adopt.scan", toolset: "adopt" },
  { name: "sdd_bootstrap", operation: "adopt.bootstrap", toolset: "adopt" },
];
