import type { Tool } from "../tool.ts";

export const changeTools: readonly Tool[] = [
  { name: "sdd_change", operation: "change.start", title: "Begin change", toolset: "change" },
  { name: "sdd_change_advance", operation: "change.advance", title: "End stage", toolset: "change" },
  { name: "sdd_change_status", operation: "change.status", title: "Show change", toolset: "change" },
  { name: "sdd_change_list", operation: "change.list", title: "List changes", toolset: "change" },
  { name: "sdd_change_reopen", operation: "change.reopen", title: "Reopen stage", toolset: "change" },
  { name: "sdd_change_resize", operation: "change.resize", title: "Resize change", toolset: "change" },
  { name: "sdd_change_review", operation: "change.review", title: "Checklist for change", toolset: "change" },
  { name: "sdd_change_abandon", operation: "change.abandon", title: "Abandon change", toolset: "change" },
  { name: "sdd_change_archive", operation: "change.archive", title: "Archive change", toolset: "change" },
];
