import type { Tool } from "../tool.ts";

export const projectTools: readonly Tool[] = [
  { name: "sdd_init_project", operation: "project.init", title: "Begin project", toolset: "project" },
  { name: "sdd_create_proposal", operation: "project.propose", title: "Write proposal", toolset: "project" },
  {
    name: "sdd_generate_requirements",
    operation: "project.specify",
    title: "Write requirements",
    toolset: "project",
  },
  {
    name: "sdd_create_business_rules",
    operation: "project.business-rules",
    title: "Write business rules",
    toolset: "project",
  },
  { name: "sdd_clarify", operation: "project.clarify", title: "Clarity Gate", toolset: "project" },
  { name: "sdd_create_design", operation: "project.design", title: "Write design", toolset: "project" },
  { name: "sdd_create_tasks", operation: "project.tasks", title: "Write tasks", toolset: "project" },
  { name: "sdd_validate", operation: "project.validate", title: "Validate project", toolset: "project" },
  { name: "sdd_get_context", operation: "project.context", title: "Show project", toolset: "project" },
  { name: "sdd_project_confirm", operation: "project.confirm", title: "Confirm stale document", toolset: "project" },
  { name: "sdd_project_reopen", operation: "project.reopen", title: "Reopen stage", toolset: "project" },
];
