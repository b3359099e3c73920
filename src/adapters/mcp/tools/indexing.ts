import type { Tool } from "../tool.ts";

export const indexingTools: readonly Tool[] = [
  { name: "sdd_index", operation: "indexing.update", title: "Index the code", toolset: "index" },
  { name: "sdd_query", operation: "indexing.query", title: "Ask about the code", toolset: "index" },
  { name: "sdd_summarize", operation: "indexing.summarize", title: "Sum up code", toolset: "index" },
  { name: "sdd_feed", operation: "indexing.feed", title: "Recent commits", toolset: "index" },
];
