import type { McpTool } from "../tool.ts";

export const WORKSPACE_TOOLS: readonly McpTool[] = [
  { name: "sdd_status", operation: "workspace.status", toolset: "workspace" },
  { name: "sdd_workspace_init", operation: "workspace.init", toolset: "workspace" },
  {
    name: "sdd_workspace_validate",
    operation: "workspace.validate",
    toolset: "workspace",
  },
  { name: "sdd_doctor", operation: "workspace.doctor", toolset: "workspace" },
];
