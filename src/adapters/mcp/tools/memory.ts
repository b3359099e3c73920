import type { McpTool } from "../tool.ts";

export const MEMORY_TOOLS: readonly McpTool[] = [
  { name: "mem_save", operation: "memory.save", toolset: "memory" },
  { name: "mem_search", operation: "memory.search", toolset: "memory" },
  { name: "mem_context", operation: "memory.context", toolset: "memory" },
  { name: "mem_get", operation: "memory.get", toolset: "memory" },
  { name: "mem_session", operation: "memory.session", toolset: "memory" },
  { name: "mem_timeline", operation: "memory.timeline", toolset: "memory" },
  { name: "mem_update", operation: "memory.update", toolset: "memory" },
  { name: "mem_delete", operation: "memory.delete", toolset: "memory" },
  { name: "mem_relate", operation: "memory.relate", toolset: "memory" },
  { name: "mem_history", operation: "memory.history", toolset: "memory" },
  { name: "mem_progress", operation: "memory.progress", toolset: "memory" },
  { name: "mem_compact", operation: "memory.compact", toolset: "memory" },
  {
    name: "mem_suggest_topic_key",
    operation: "memory.suggest-topic-key",
    toolset: "memory",
  },
  { name: "mem_stats", operation: "memory.stats", toolset: "memory" },
];
