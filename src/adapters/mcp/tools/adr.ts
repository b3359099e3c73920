import type { Tool } from "../tool.ts";

export const adrTools: readonly Tool[] = [
  { name: "sdd_adr", operation: "adr.record", toolset: "adr" },
  { name: "sdd_adr_status", operation: "adr.status", toolset: "adr" },
  { name: "sdd_adr_list", operation: "adr.list", toolset: "adr" },
];
