import type { Tool } from "../tool.ts";

export const roadmapTools: readonly Tool[] = [
  { name: "sdd_roadmap", operation: "roadmap.manage", title: "Steer roadmap", toolset: "roadmap" },
  { name: "sdd_next", operation: "roadmap.next", title: "What to do now", toolset: "roadmap" },
  { name: "sdd_report", operation: "roadmap.report", title: "Report", toolset: "roadmap" },
];
