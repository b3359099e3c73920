import type { CliCommand } from "../command.ts";

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
