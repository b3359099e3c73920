import type { CliCommand } from "./command-types.ts";
import {
  ADR_COMMANDS,
  CHANGE_COMMANDS,
  CONTEXT_COMMANDS,
  EXPLORE_COMMANDS,
  PROJECT_COMMANDS,
  WORKFLOW_COMMANDS,
  SPEC_COMMANDS,
} from "./planning-commands.ts";
import {
  CI_COMMANDS,
  FEATURE_COMMANDS,
  GATE_COMMANDS,
  HANDOVER_COMMANDS,
  KNOWLEDGE_COMMANDS,
  REVIEW_COMMANDS,
  ROADMAP_COMMANDS,
  STACK_COMMANDS,
  STEERING_COMMANDS,
} from "./roadmap-and-check-commands.ts";
import { INDEX_COMMANDS, MEMORY_COMMANDS, TRACE_COMMANDS } from "./code-and-memory-commands.ts";

const WORKSPACE_COMMANDS: readonly CliCommand[] = [
  {
    path: "init",
    operation: "workspace.init",
    summary: "Make this repository a workspace; safe to repeat",
    examples: ["tenon init", "tenon init --merge-drivers", "tenon init --workspace ../other-repository"],
  },
  {
    path: "status",
    operation: "workspace.status",
    summary: "Show what is under way in this workspace, or one feature of the roadmap",
    positionals: ["feature"],
    examples: ["tenon status", "tenon status --json", "tenon status user-login --impact"],
  },
  {
    path: "doctor",
    operation: "workspace.doctor",
    summary: "Check Node, git, SQLite, the ledger and every record, and say how to mend them",
    examples: ["tenon doctor", "tenon doctor --mend", "tenon doctor --reseal sdd/changes/fix-login/change.json"],
  },
  {
    path: "validate",
    operation: "workspace.validate",
    summary: "Check all records and documents in one pass",
    examples: ["tenon validate", "tenon validate --json"],
  },
];

const SETUP_COMMANDS: readonly CliCommand[] = [
  {
    path: "setup",
    operation: "setup.clients",
    summary: "Connect your clients: server, rules, commands, hooks; without a name it lists what is here",
    positionals: ["clients"],
    examples: [
      "tenon setup",
      "tenon setup codex cursor --dry-run",
      "tenon setup codex cursor",
      "tenon setup --all",
      "tenon setup gemini --user",
      "tenon setup cursor --remove",
      "tenon setup --remove",
    ],
  },
];

const RELEASE_COMMANDS: readonly CliCommand[] = [
  {
    path: "release-notes",
    operation: "release.notes",
    summary: "Tell in Markdown what was finished, from records alone",
    positionals: ["since"],
    examples: ["tenon release-notes", "tenon release-notes --since v1.2.0", "tenon release-notes --since 2026-01-31"],
  },
];

const ADOPT_COMMANDS: readonly CliCommand[] = [
  {
    path: "adopt",
    operation: "adopt.bootstrap",
    summary: "Draft requirements, business rules and design from the code; never overwrites",
    examples: ["tenon adopt", "tenon adopt --dry-run --max-tokens 20000"],
  },
  {
    path: "adopt scan",
    operation: "adopt.scan",
    summary: "Show what the code says of itself, each line with its evidence; writes nothing",
    positionals: ["scan_path"],
    examples: ["tenon adopt scan", "tenon adopt scan services/orders --detail-level full --max-tokens 20000"],
  },
];

const IMPORT_COMMANDS: readonly CliCommand[] = [
  {
    path: "import",
    operation: "importing.take",
    summary: "Take over what Hoofy, spec-drive, sync-sdd, Spec Kit, OpenSpec, Kiro or cc-sdd left here",
    positionals: ["sources"],
    examples: [
      "tenon import",
      "tenon import --apply",
      "tenon import ../old-shop --from spec-kit",
      "tenon import --json",
    ],
  },
];

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
