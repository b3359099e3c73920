import type { Tool } from "../tool.ts";

export const reviewTools: readonly Tool[] = [{ name: "sdd_review", operation: "review.begin", toolset: "roadmap" }];
