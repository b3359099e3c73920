import type { McpTool } from "../tool.ts";

export const REVIEW_TOOLS: readonly McpTool[] = [{ name: "sdd_review", operation: "review.begin", toolset: "roadmap" }];
