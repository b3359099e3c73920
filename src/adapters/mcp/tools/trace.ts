import type { Tool } from "../tool.ts";

export const traceTools: readonly Tool[] = [
  { name: "sdd_trace", operation: "trace.show", title: "Trace requirements", toolset: "index" },
];
