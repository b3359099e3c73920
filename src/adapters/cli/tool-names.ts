import { CLI_COMMANDS } from "./commands.ts";

/** Tools whose command has a different name. A law test compares this with the tool table. */
const IRREGULAR_TOOL_COMMANDS: Readonly<Record<string, string>> = {
  sdd_workspace_init: "init",
  sdd_workspace_validate: "validate",
  sdd_reverse_engineer: "adopt scan",
  sdd_bootstrap: "adopt",
  sdd_explore: "explore record",
  sdd_init_project: "project init",
  sdd_create_proposal: "project propose",
  sdd_generate_requirements: "project specify",
  sdd_create_business_rules: "project business-rules",
  sdd_clarify: "project clarify",
  sdd_create_design: "project design",
  sdd_create_tasks: "project tasks",
  sdd_validate: "project validate",
  sdd_get_context: "project context",
  sdd_change: "change start",
  sdd_workflow_stats: "stats",
  sdd_suggest_context: "context suggest",
  sdd_audit: "context audit",
  sdd_adr: "adr record",
};

export function findToolCommand(tool: string): string | undefined {
  const [, room, stem = ""] = /^(sdd|mem)_([a-z_]+)$/.exec(tool) ?? [];
  const path = room === "mem" ? `memory ${stem.replaceAll("_", "-")}` : stem.replaceAll("_", " ");
  return IRREGULAR_TOOL_COMMANDS[tool] ?? CLI_COMMANDS.find((command) => command.path === path)?.path;
}

/** Replaces tool names in a text by commands: `sdd_roadmap run` becomes `tenon roadmap run`. */
export function replaceToolsWithCommands(text: string): string {
  return text.replaceAll(/\b(?:sdd|mem)_[a-z]+(?:_[a-z]+)*\b/g, (tool) => {
    const path = findToolCommand(tool);
    return path === undefined ? tool : `tenon ${path}`;
  });
}

/** In a guide only text in backticks is a call. */
export const replaceGuideTools = (guide: string): string =>
  guide.replaceAll(/`(?:sdd|mem)_[^`\n]+`/g, replaceToolsWithCommands);
