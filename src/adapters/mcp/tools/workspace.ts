import type { Tool } from "../tool.ts";

export const workspaceTools: readonly Tool[] = [
  { name: "sdd_status", operation: "workspace.status", title: "Show workspace", toolset: "workspace" },
  { name: "sdd_workspace_init", operation: "workspace.init", title: "Make workspace", toolset: "workspace" },
  {
    name: "sdd_workspace_validate",
    operation: "workspace.validate",
    title: "Validate everything",
    toolset: "workspace",
  },
  { name: "sdd_doctor", operation: "workspace.doctor", title: "Diagnose and mend", toolset: "workspace" },
];
