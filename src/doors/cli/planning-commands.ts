import type { CliCommand } from "./command-types.ts";

export const PROJECT_COMMANDS: readonly CliCommand[] = [
  {
    path: "project init",
    operation: "project.init",
    summary: "Begin a new project: from idea to validated tasks",
    positionals: ["name"],
    examples: ['tenon project init "Tide tables" --description "Harbour staff see tomorrow\'s tides" --mode expert'],
  },
  {
    path: "project propose",
    operation: "project.propose",
    summary: "Write sdd/proposal.md and open the next stage",
    examples: ["tenon project propose --input proposal.json"],
  },
  {
    path: "project specify",
    operation: "project.specify",
    summary: "Write sdd/requirements.md; every requirement gets an id",
    examples: ["tenon project specify --input requirements.json"],
  },
  {
    path: "project business-rules",
    operation: "project.business-rules",
    summary: "Write sdd/business-rules.md; every constraint gets an id",
    examples: ["tenon project business-rules --input rules.json"],
  },
  {
    path: "project clarify",
    operation: "project.clarify",
    summary: "See what is unclear, answer it, pass the Clarity Gate",
    examples: ["tenon project clarify", "tenon project clarify --input scores.json"],
  },
  {
    path: "project design",
    operation: "project.design",
    summary: "Write sdd/design.md, with the requirements each component carries",
    examples: ["tenon project design --input design.json"],
  },
  {
    path: "project tasks",
    operation: "project.tasks",
    summary: "Write sdd/tasks.md; the waves are computed",
    examples: ["tenon project tasks --input tasks.json"],
  },
  {
    path: "project validate",
    operation: "project.validate",
    summary: "Compare a verdict with what the documents cover",
    examples: ['tenon project validate --verdict PASS --consistency-issues "None found"'],
  },
  {
    path: "project context",
    operation: "project.context",
    summary: "Show the project: stages, documents, what comes next",
    positionals: ["stage"],
    examples: [
      "tenon project context",
      "tenon project context requirements",
      "tenon project context --detail-level full",
    ],
  },
  {
    path: "project confirm",
    operation: "project.confirm",
    summary: "Keep a stale document as it stands, if it still holds",
    examples: ["tenon project confirm"],
  },
  {
    path: "project reopen",
    operation: "project.reopen",
    summary: "Go back to an earlier stage; what follows goes stale",
    positionals: ["stage"],
    examples: ['tenon project reopen specify --reason "The audit asks for a log"'],
  },
];

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

export const WORKFLOW_COMMANDS: readonly CliCommand[] = [
  {
    path: "feature",
    operation: "workflow.feature",
    summary: "Begin a feature: discover, specify, implement, verify",
    positionals: ["title"],
    examples: [
      'tenon feature "Login with a second factor" --id AUTH-001',
      'tenon feature "Export as CSV" --files src/export/',
    ],
  },
  {
    path: "bugfix",
    operation: "workflow.bugfix",
    summary: "Begin a bugfix: investigate, specify-fix, fix, verify",
    positionals: ["title"],
    examples: ['tenon bugfix "Login fails with special characters" --id BUG-042'],
  },
  {
    path: "research",
    operation: "workflow.research",
    summary: "Begin a timeboxed research: explore, synthesize, decide",
    positionals: ["topic"],
    examples: ['tenon research "Which auth provider" --timebox 2h'],
  },
  {
    path: "workflow status",
    operation: "workflow.status",
    summary: "Show what is under way, or one workflow",
    positionals: ["id"],
    examples: [
      "tenon workflow status",
      "tenon workflow status AUTH-001 --brief test-agent",
      "tenon workflow status --all --json",
    ],
  },
  {
    path: "workflow advance",
    operation: "workflow.advance",
    summary: "End the current stage, if its gate passes",
    positionals: ["id"],
    runsChecks: true,
    examples: [
      "tenon workflow advance --approve Ann",
      "tenon workflow advance AUTH-001 --check",
      'tenon workflow advance RES-001 --extend 30m --reason "One option is left"',
    ],
  },
  {
    path: "workflow switch",
    operation: "workflow.switch",
    summary: "Go on with another workflow or change; no file is touched",
    positionals: ["id"],
    examples: ["tenon workflow switch BUG-042"],
  },
  {
    path: "workflow prioritize",
    operation: "workflow.prioritize",
    summary: "Move a workflow or change in the queue",
    positionals: ["id", "priority"],
    examples: ["tenon workflow prioritize AUTH-001 1"],
  },
  {
    path: "workflow abandon",
    operation: "workflow.abandon",
    summary: "End a workflow without finishing it; its files stay",
    positionals: ["id"],
    examples: ['tenon workflow abandon AUTH-001 --reason "Solved upstream"'],
  },
  {
    path: "workflow rollback",
    operation: "workflow.rollback",
    summary: "Take a workflow's own files back to a snapshot",
    positionals: ["id", "stage"],
    asks: { field: "confirm", token: "token", unless: "overlaps", question: "Roll back?" },
    examples: [
      "tenon workflow rollback AUTH-001 specify",
      "tenon workflow rollback AUTH-001 --snapshot 3 --confirm 0123456789abcdef",
    ],
  },
  {
    path: "workflow resume",
    operation: "workflow.resume",
    summary: "Go on with what was interrupted; no file is touched",
    positionals: ["id"],
    examples: ["tenon workflow resume", "tenon workflow resume AUTH-001 --take-over"],
  },
  {
    path: "workflow snapshot",
    operation: "workflow.snapshot",
    summary: "Keep the files as they are, to come back to",
    positionals: ["id"],
    examples: ["tenon workflow snapshot"],
  },
  {
    path: "lock",
    operation: "workflow.lock",
    summary: "Claim files, release them, or list who holds what",
    positionals: ["action", "paths"],
    examples: ["tenon lock list", "tenon lock claim src/login.ts src/auth/", "tenon lock release src/login.ts"],
  },
  {
    path: "conflicts",
    operation: "workflow.conflicts",
    summary: "Which files two workflows both hold, as JSON; exit code 1 if any",
    positionals: ["a", "b"],
    isScript: true,
    examples: ["tenon conflicts AUTH-001 BUG-042"],
  },
  {
    path: "stats",
    operation: "workflow.stats",
    summary: "Show what became of the work, which gates fail, and how long things take",
    examples: ["tenon stats", "tenon stats --since 30d", "tenon stats --kind bugfix --json"],
  },
];

export const EXPLORE_COMMANDS: readonly CliCommand[] = [
  {
    path: "explore record",
    operation: "explore.record",
    summary: "Capture goals, constraints and unknowns before work begins",
    positionals: ["title"],
    examples: [
      'tenon explore record "User auth" --goals "Log in with a passkey" --constraints "No new service"',
      'tenon explore record "User auth" --decisions "WebAuthn, passwords stay as fallback"',
    ],
  },
];

export const CONTEXT_COMMANDS: readonly CliCommand[] = [
  {
    path: "context check",
    operation: "context.check",
    summary: "Check what exists that a change touches or contradicts",
    positionals: ["change_description"],
    examples: ["tenon context check", 'tenon context check "Log in with a passkey" --detail-level full'],
  },
  {
    path: "context suggest",
    operation: "context.suggest",
    summary: "What to read before a task, best first",
    positionals: ["task_description"],
    examples: ['tenon context suggest "Limit the size of uploads"'],
  },
  {
    path: "context audit",
    operation: "context.audit",
    summary: "Compare the specs with the code",
    positionals: ["scan_path"],
    examples: ["tenon context audit", "tenon context audit src --detail-level full"],
  },
];

export const SPEC_COMMANDS: readonly CliCommand[] = [
  {
    path: "spec validate",
    operation: "spec.validate",
    summary: "Check the specs of features, bugs and research, each problem with its line",
    positionals: ["id"],
    examples: ["tenon spec validate", "tenon spec validate AUTH-001 --depth complete", "tenon spec validate --fix"],
  },
];

export const ADR_COMMANDS: readonly CliCommand[] = [
  {
    path: "adr record",
    operation: "adr.record",
    summary: "Record an architecture decision",
    positionals: ["title"],
    examples: [
      'tenon adr record "Keep state in SQLite" --context "Two stores drift" --decision "One SQLite file" --rationale "One truth"',
      'tenon adr record "Offer PostgreSQL" --context "Teams share" --decision "A second adapter" --rationale "One contract" --supersedes ADR-0001',
    ],
  },
  {
    path: "adr status",
    operation: "adr.status",
    summary: "Change the status of a decision",
    positionals: ["adr", "status"],
    examples: [
      'tenon adr status ADR-0001 deprecated --reason "The service is gone"',
      "tenon adr status fix-the-empty-search/ADR-001 superseded --superseded-by ADR-0002",
    ],
  },
  {
    path: "adr list",
    operation: "adr.list",
    summary: "List decisions, those inside changes too",
    examples: ["tenon adr list", "tenon adr list --status accepted --json"],
  },
];
