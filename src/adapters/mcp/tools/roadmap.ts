import type { Tool } from "../tool.ts";

export const roadmapTools: readonly Tool[] = [
  { name: "sdd_roadmap", operation: "roadmap.manage", toolset: "roadmap" },
  { name: "sdd_next", operation: "roadmap.next", toolset: "roadmap" },
  { name: "sdd_report", operation: "roadmap.report", toolset: "roadmap" },
];
