import type { Tool } from "../tool.ts";

export const memoryTools: readonly Tool[] = [
  { name: "mem_save", operation: "memory.save", title: "Remember", toolset: "memory" },
  { name: "mem_search", operation: "memory.search", title: "Search memory", toolset: "memory" },
  { name: "mem_context", operation: "memory.context", title: "Recent memory", toolset: "memory" },
  { name: "mem_get", operation: "memory.get", title: "Read observation", toolset: "memory" },
  { name: "mem_session", operation: "memory.session", title: "Start or end session", toolset: "memory" },
  { name: "mem_timeline", operation: "memory.timeline", title: "What happened around", toolset: "memory" },
  { name: "mem_update", operation: "memory.update", title: "Change observation", toolset: "memory" },
  { name: "mem_delete", operation: "memory.delete", title: "Delete or undelete", toolset: "memory" },
  { name: "mem_relate", operation: "memory.relate", title: "Relate observations", toolset: "memory" },
  { name: "mem_history", operation: "memory.history", title: "Revisions of topic", toolset: "memory" },
  { name: "mem_progress", operation: "memory.progress", title: "Keep or read progress", toolset: "memory" },
  { name: "mem_compact", operation: "memory.compact", title: "Compact old observations", toolset: "memory" },
  {
    name: "mem_suggest_topic_key",
    operation: "memory.suggest-topic-key",
    title: "Suggest topic key",
    toolset: "memory",
  },
  { name: "mem_stats", operation: "memory.stats", title: "Size of memory", toolset: "memory" },
];
