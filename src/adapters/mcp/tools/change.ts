import type { Tool } from "../tool.ts";

export const changeTools: readonly Tool[] = [
  { name: "sdd_change", operation: "change.start", title: "Begin a change", toolset: "change" },
  { name: "sdd_change_advance", operation: "change.advance", title: "End the current stage", toolset: "change" },
  { name: "sdd_change_status", operation: "change.status", title: "Show a change", toolset: "change" },
  { name: "sdd_change_list", operation: "change.list", title: "List changes", toolset: "change" },
  { name: "sdd_change_reopen", operation: "change.reopen", title: "Reopen an earlier stage", toolset: "change" },
  { name: "sdd_change_resize", operation: "change.resize", title: "Resize a change", toolset: "change" },
  { name: "sdd_change_review", operation: "change.review", title: "Checklist for a change", toolset: "change" },
  { name: "sdd_change_abandon", operation: "change.abandon", title: "Abandon a change", toolset: "change" },
  { name: "sdd_change_archive", operation: "change.archive", title: "Archive a change", toolset: "change" },
];
