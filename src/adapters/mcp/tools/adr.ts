import type { Tool } from "../tool.ts";

export const adrTools: readonly Tool[] = [
  { name: "sdd_adr", operation: "adr.record", title: "Record a decision", toolset: "adr" },
  { name: "sdd_adr_status", operation: "adr.status", title: "Change a decision's status", toolset: "adr" },
  { name: "sdd_adr_list", operation: "adr.list", title: "List decisions", toolset: "adr" },
];
