import type { CliCommand } from "../command.ts";

export const CHANGE_COMMANDS: readonly CliCommand[] = [
  {
    path: "change start",
    operation: "change.start",
    summary: "Begin a change; type and size decide its stages, and are proposed where they are left out",
    positionals: ["description"],
    examples: [
      'tenon change start "Fix the empty search" --type fix --size small',
      'tenon change start "Fix the empty search"',
    ],
  },
  {
    path: "change advance",
    operation: "change.advance",
    summary: "Keep the current stage's artifact and open the next stage",
    fileFor: "content",
    examples: [
      "tenon change advance --file spec.md",
      'tenon change advance --content "Searching for nothing crashes." --title "Empty search"',
      "tenon change advance --keep",
    ],
  },
  {
    path: "change status",
    operation: "change.status",
    summary: "Show a change: stages, artifacts, what comes next",
    positionals: ["change_id"],
    examples: ["tenon change status", "tenon change status fix-the-empty-search --json"],
  },
  {
    path: "change list",
    operation: "change.list",
    summary: "List changes, archived ones too",
    examples: ["tenon change list", "tenon change list --status archived"],
  },
  {
    path: "change reopen",
    operation: "change.reopen",
    summary: "Go back to an earlier stage; what follows goes stale",
    positionals: ["change_id"],
    examples: ['tenon change reopen --stage spec --reason "The limit was misread"'],
  },
  {
    path: "change resize",
    operation: "change.resize",
    summary: "Give a change that grew a larger size, or keep the one it has",
    positionals: ["change_id"],
    examples: [
      'tenon change resize --size medium --reason "The parser is affected too"',
      'tenon change resize --size small --reason "Only a rename, in many files"',
    ],
  },
  {
    path: "change review",
    operation: "change.review",
    summary: "A checklist for a change, with what its diff says to each item",
    positionals: ["change_id"],
    examples: ["tenon change review", "tenon change review fix-the-empty-search --detail-level full"],
  },
  {
    path: "change abandon",
    operation: "change.abandon",
    summary: "End a change without completing it; nothing is deleted",
    positionals: ["change_id"],
    examples: ['tenon change abandon fix-the-empty-search --reason "Solved upstream"'],
  },
  {
    path: "change archive",
    operation: "change.archive",
    summary: "Move a completed or abandoned change to sdd/history",
    positionals: ["change_id"],
    examples: ["tenon change archive", "tenon change archive fix-the-empty-search"],
  },
];
