import type { Tool } from "../tool.ts";

export const steeringTools: readonly Tool[] = [
  { name: "sdd_steering", operation: "steering.manage", toolset: "roadmap" },
];
