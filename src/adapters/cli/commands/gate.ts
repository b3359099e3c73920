import type { CliCommand } from "../command.ts";

export const GATE_COMMANDS: readonly CliCommand[] = [
  {
    path: "gate",
    operation: "gate.run",
    summary: "Run the checks of the stage that is open, mend what a tool can, and leave a receipt",
    positionals: ["id"],
    runsChecks: true,
    examples: ["tenon gate", "tenon gate AUTH-001", "tenon gate AUTH-001 --json"],
  },
  {
    path: "evidence",
    operation: "gate.evidence",
    summary: "See the new tests fail without the implementation, for the right reason, and pass with it",
    positionals: ["id"],
    runsChecks: true,
    examples: ["tenon evidence", "tenon evidence BUG-042"],
  },
  {
    path: "bite",
    operation: "gate.bite",
    summary: "Make the code of a spec wrong, one small way at a time, and see whether its tests notice",
    positionals: ["id"],
    runsChecks: true,
    examples: ["tenon bite AUTH-001", "tenon bite AUTH-001.AC-1 --most 50 --minutes 10"],
  },
  {
    path: "verify",
    operation: "gate.verify",
    summary: "Check the receipts of passed gates: whole, of these files, and with --run still true",
    positionals: ["id"],
    runsChecks: true,
    ownFlags: {
      annotations: {
        type: "boolean",
        description: "Print GitHub annotations too; default: where GITHUB_ACTIONS is true",
      },
      junit: { type: "string", description: "Write what was found as JUnit XML, over whatever is there" },
    },
    afterwards: async () => (await import("../verify-reports.ts")).writeVerificationReports,
    examples: ["tenon verify", "tenon verify AUTH-001 --strict", "tenon verify --run --junit verify.xml"],
  },
];
