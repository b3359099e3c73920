import type { Tool } from "../tool.ts";

export const handoverTools: readonly Tool[] = [
  { name: "sdd_handover", operation: "handover.write", toolset: "handover" },
  { name: "sdd_decide", operation: "handover.decide", toolset: "handover" },
];
