import { COMMANDS } from "./commands.ts";

/** Tools whose command is called otherwise. The tools are another room, so the law on stems compares the two. */
const CALLED_OTHERWISE: Readonly<Record<string, string>> = {
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

/** The words of the command that does what a tool does; nothing where there is no such tool. */
export function commandOfTool(tool: string): string | undefined {
  const [, room, stem = ""] = /^(sdd|mem)_([a-z_]+)$/.exec(tool) ?? [];
  const path = room === "mem" ? `memory ${stem.replaceAll("_", "-")}` : stem.replaceAll("_", " ");
  return CALLED_OTHERWISE[tool] ?? COMMANDS.find((command) => command.path === path)?.path;
}

/** Tools that a text names, as the commands that do the same: `sdd_roadmap run` is `tenon roadmap run`. */
export function inCommands(text: string): string {
  return text.replaceAll(/\b(?:sdd|mem)_[a-z]+(?:_[a-z]+)*\b/g, (tool) => {
    const path = commandOfTool(tool);
    return path === undefined ? tool : `tenon ${path}`;
  });
}

/** The same in a guide, in which only what stands in backticks is a call. */
export const guideInCommands = (guide: string): string => guide.replaceAll(/`(?:sdd|mem)_[^`\n]+`/g, inCommands);
