import type { Tool } from "../tool.ts";

export const traceTools: readonly Tool[] = [
  { name: "sdd_trace", operation: "trace.show", title: "Trace requirements", toolset: "index" },
  { name: "sdd_drift", operation: "trace.drift", title: "See what drifted", toolset: "index" },
  { name: "sdd_impact", operation: "trace.impact", title: "See what a change reaches", toolset: "index" },
];
