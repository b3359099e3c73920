import type { CliCommand } from "../../command.ts";

export const HANDOVER_COMMANDS: readonly CliCommand[] = [
  {
    path: "handover",
    operation: "handover.write",
    summary: "Say where the work stands, for who goes on with it",
    examples: [
      "tenon handover",
      'tenon handover --accomplished "Passkeys work" --next "Review passkeys" --warnings "The tides API is slow"',
      "tenon handover --resume --max-tokens 1000",
    ],
  },
  {
    path: "decide",
    operation: "handover.decide",
    summary: "Record a decision, with its reason",
    positionals: ["summary"],
    examples: [
      'tenon decide "Keep state in SQLite" --reason "Two stores drift"',
      'tenon decide "SQL in the report" --type STEERING_EXCEPTION --steering-ref "tech.md: no SQL" --reason "One query"',
    ],
  },
];
