import type { CliCommand } from "./command.ts";
import { ADOPT_COMMANDS } from "./commands/adopt.ts";
import { ADR_COMMANDS } from "./commands/adr.ts";
import { CHANGE_COMMANDS } from "./commands/change.ts";
import { CI_COMMANDS } from "./commands/ci.ts";
import { CONTEXT_COMMANDS } from "./commands/context.ts";
import { EXPLORE_COMMANDS } from "./commands/explore.ts";
import { FEATURE_COMMANDS } from "./commands/roadmap/feature.ts";
import { GATE_COMMANDS } from "./commands/gate.ts";
import { HANDOVER_COMMANDS } from "./commands/roadmap/handover.ts";
import { IMPORT_COMMANDS } from "./commands/importing.ts";
import { INDEX_COMMANDS } from "./commands/indexing.ts";
import { KNOWLEDGE_COMMANDS } from "./commands/roadmap/knowledge.ts";
import { MEMORY_COMMANDS } from "./commands/memory.ts";
import { PROJECT_COMMANDS } from "./commands/project.ts";
import { RELEASE_COMMANDS } from "./commands/release.ts";
import { REVIEW_COMMANDS } from "./commands/roadmap/review.ts";
import { ROADMAP_COMMANDS } from "./commands/roadmap/roadmap.ts";
import { WORKFLOW_COMMANDS } from "./commands/workflow.ts";
import { SETUP_COMMANDS } from "./commands/setup.ts";
import { SPEC_COMMANDS } from "./commands/spec.ts";
import { STACK_COMMANDS } from "./commands/stack.ts";
import { STEERING_COMMANDS } from "./commands/roadmap/steering.ts";
import { TRACE_COMMANDS } from "./commands/trace.ts";
import { WORKSPACE_COMMANDS } from "./commands/workspace.ts";

export const CLI_COMMANDS: readonly CliCommand[] = [
  ...WORKSPACE_COMMANDS,
  ...CI_COMMANDS,
  ...SETUP_COMMANDS,
  ...RELEASE_COMMANDS,
  ...ADOPT_COMMANDS,
  ...IMPORT_COMMANDS,
  ...EXPLORE_COMMANDS,
  ...PROJECT_COMMANDS,
  ...CHANGE_COMMANDS,
  ...WORKFLOW_COMMANDS,
  ...ROADMAP_COMMANDS,
  ...FEATURE_COMMANDS,
  ...REVIEW_COMMANDS,
  ...STEERING_COMMANDS,
  ...HANDOVER_COMMANDS,
  ...KNOWLEDGE_COMMANDS,
  ...GATE_COMMANDS,
  ...CONTEXT_COMMANDS,
  ...SPEC_COMMANDS,
  ...STACK_COMMANDS,
  ...INDEX_COMMANDS,
  ...TRACE_COMMANDS,
  ...ADR_COMMANDS,
  ...MEMORY_COMMANDS,
];

export const COMMAND_GROUPS: Readonly<Record<string, string>> = {
  ci: "Files that let others run tenon ci",
  adopt: "Specs for code that is there already",
  explore: "Before any work",
  project: "Take a new project from idea to tasks",
  change: "Take a change through its stages",
  workflow: "Several pieces of work side by side",
  review: "What is the user's alone to say of a review",
  knowledge: "What is the user's alone to make of what was learned",
  context: "See what is there already",
  spec: "Specs of features, bugs and research",
  adr: "Keep decisions",
  memory: "What agents remember",
};

export interface CommandMatch {
  readonly command: CliCommand;
  readonly rest: readonly string[];
}

export function matchCommand(words: readonly string[]): CommandMatch | undefined {
  const first = words.slice(0, 2).join(" ");
  const command =
    CLI_COMMANDS.find((candidate) => candidate.path === first) ??
    CLI_COMMANDS.find((candidate) => candidate.path === words[0]);
  return command && { command, rest: words.slice(command.path.split(" ").length) };
}

export const listGroupCommands = (word: string): readonly CliCommand[] =>
  CLI_COMMANDS.filter((command) => command.path.startsWith(`${word} `));
