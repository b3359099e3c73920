import type { Command } from "../command.ts";

export const gateCommands: readonly Command[] = [
  {
    path: "verify",
    operation: "gate.verify",
    summary: "Check the receipts of passed gates: whole, of these files, and with --run still true",
    positionals: ["id"],
    ownFlags: {
      annotations: {
        type: "boolean",
        description: "Print GitHub annotations too; default: where GITHUB_ACTIONS is true",
      },
      junit: { type: "string", description: "Write what was found as JUnit XML, over whatever is there" },
    },
    afterwards: async () => (await import("../verify-reports.ts")).reportVerification,
    examples: ["tenon verify", "tenon verify AUTH-001 --strict", "tenon verify --run --junit verify.xml"],
  },
];
