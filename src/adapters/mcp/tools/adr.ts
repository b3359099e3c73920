import type { Tool } from "../tool.ts";

export const adrTools: readonly Tool[] = [
  { name: "sdd_adr", operation: "adr.record", title: "Record decision", toolset: "adr" },
  { name: "sdd_adr_status", operation: "adr.status", title: "Set decision status", toolset: "adr" },
  { name: "sdd_adr_list", operation: "adr.list", title: "List decisions", toolset: "adr" },
];
