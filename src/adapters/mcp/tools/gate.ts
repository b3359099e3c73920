import type { Tool } from "../tool.ts";

export const gateTools: readonly Tool[] = [
  { name: "sdd_verify", operation: "gate.verify", title: "Verify receipts", toolset: "gate" },
];
