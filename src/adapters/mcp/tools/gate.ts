import type { Tool } from "../tool.ts";

export const gateTools: readonly Tool[] = [
  { name: "sdd_gate", operation: "gate.run", title: "Run gate", toolset: "gate" },
  { name: "sdd_evidence", operation: "gate.evidence", title: "See tests fail first", toolset: "gate" },
  { name: "sdd_bite", operation: "gate.bite", title: "See tests bite", toolset: "gate" },
  { name: "sdd_verify", operation: "gate.verify", title: "Verify receipts", toolset: "gate" },
];
