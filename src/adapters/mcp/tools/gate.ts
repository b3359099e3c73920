import type { McpTool } from "../tool.ts";

export const GATE_TOOLS: readonly McpTool[] = [
  { name: "sdd_gate", operation: "gate.run", toolset: "gate" },
  { name: "sdd_evidence", operation: "gate.evidence", toolset: "gate" },
  { name: "sdd_bite", operation: "gate.bite", toolset: "gate" },
  { name: "sdd_verify", operation: "gate.verify", toolset: "gate" },
];
