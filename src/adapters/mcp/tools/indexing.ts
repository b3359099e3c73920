import type { McpTool } from "../tool.ts";

export const INDEX_TOOLS: readonly McpTool[] = [
  { name: "sdd_index", operation: "indexing.update", toolset: "index" },
  { name: "sdd_query", operation: "indexing.query", toolset: "index" },
  { name: "sdd_summarize", operation: "indexing.summarize", toolset: "index" },
  { name: "sdd_feed", operation: "indexing.feed", toolset: "index" },
];
