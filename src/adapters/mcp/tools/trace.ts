import type { Tool } from "../tool.ts";

export const traceTools: readonly Tool[] = [
  { name: "sdd_trace", operation: "trace.show", toolset: "index" },
  { name: "sdd_drift", operation: "trace.drift", toolset: "index" },
  { name: "sdd_impact", operation: "trace.impact", toolset: "index" },
];
