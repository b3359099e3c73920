import type { CliCommand } from "../command.ts";

export const ADOPT_COMMANDS: readonly CliCommand[] = [
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
