import type { CliCommand } from "../command.ts";

export const WORKSPACE_COMMANDS: readonly CliCommand[] = [
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
