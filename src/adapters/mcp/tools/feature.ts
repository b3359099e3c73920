import type { Tool } from "../tool.ts";

export const featureTools: readonly Tool[] = [
  { name: "sdd_design", operation: "feature.design", toolset: "roadmap" },
  { name: "sdd_impl", operation: "feature.impl", toolset: "roadmap" },
];
