import type { Tool } from "../tool.ts";

export const roadmapTools: readonly Tool[] = [
  { name: "sdd_roadmap", operation: "roadmap.manage", title: "Steer roadmap", toolset: "roadmap" },
];
