import type { McpTool } from "../tool.ts";

export const PROJECT_TOOLS: readonly McpTool[] = [
  { name: "sdd_init_project", operation: "project.init", toolset: "project" },
  { name: "sdd_create_proposal", operation: "project.propose", toolset: "project" },
  {
    name: "sdd_generate_requirements",
    operation: "project.specify",
    toolset: "project",
  },
  {
    name: "sdd_create_business_rules",
    operation: "project.business-rules",
    toolset: "project",
  },
  { name: "sdd_clarify", operation: "project.clarify", toolset: "project" },
  { name: "sdd_create_design", operation: "project.design", toolset: "project" },
  { name: "sdd_create_tasks", operation: "project.tasks", toolset: "project" },
  { name: "sdd_validate", operation: "project.validate", toolset: "project" },
  { name: "sdd_get_context", operation: "project.context", toolset: "project" },
  { name: "sdd_project_confirm", operation: "project.confirm", toolset: "project" },
  { name: "sdd_project_reopen", operation: "project.reopen", toolset: "project" },
];
