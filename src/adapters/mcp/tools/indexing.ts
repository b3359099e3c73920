import type { Tool } from "../tool.ts";

export const indexingTools: readonly Tool[] = [
  { name: "sdd_index", operation: "indexing.update", toolset: "index" },
  { name: "sdd_query", operation: "indexing.query", toolset: "index" },
  { name: "sdd_summarize", operation: "indexing.summarize", toolset: "index" },
  { name: "sdd_feed", operation: "indexing.feed", toolset: "index" },
];
