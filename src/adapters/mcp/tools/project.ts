import type { Tool } from "../tool.ts";

export const projectTools: readonly Tool[] = [
  { name: "sdd_init_project", operation: "project.init", title: "Begin a project", toolset: "project" },
  { name: "sdd_create_proposal", operation: "project.propose", title: "Write the proposal", toolset: "project" },
  {
    name: "sdd_generate_requirements",
    operation: "project.specify",
    title: "Write the requirements",
    toolset: "project",
  },
  {
    name: "sdd_create_business_rules",
    operation: "project.business-rules",
    title: "Write the business rules",
    toolset: "project",
  },
  { name: "sdd_clarify", operation: "project.clarify", title: "Pass the Clarity Gate", toolset: "project" },
  { name: "sdd_create_design", operation: "project.design", title: "Write the design", toolset: "project" },
  { name: "sdd_create_tasks", operation: "project.tasks", title: "Write the tasks", toolset: "project" },
  { name: "sdd_validate", operation: "project.validate", title: "Validate the project", toolset: "project" },
  { name: "sdd_get_context", operation: "project.context", title: "Show the project", toolset: "project" },
  { name: "sdd_project_confirm", operation: "project.confirm", title: "Confirm a stale document", toolset: "project" },
  { name: "sdd_project_reopen", operation: "project.reopen", title: "Reopen an earlier stage", toolset: "project" },
];
