import type { CliCommand } from "../../command.ts";

export const REVIEW_COMMANDS: readonly CliCommand[] = [
  {
    path: "review",
    operation: "review.begin",
    summary: "Have a design, an implementation or dead code reviewed, or show the reviews so far",
    positionals: ["kind", "feature", "tasks"],
    examples: [
      "tenon review design two-factor-login",
      "tenon review impl two-factor-login 1.2 2.1",
      "tenon review impl --wave 2",
      "tenon review design --cross-check",
      "tenon review dead-code",
      "tenon review dead-code settings",
      "tenon review design two-factor-login --history",
    ],
  },
  {
    path: "review waive",
    operation: "review.waive",
    summary: "Let a finding stay, with your reason; never for an agent to do",
    positionals: ["scope", "batch", "finding"],
    examples: [
      'tenon review waive two-factor-login B2 F1 --reason "The provider guarantees it"',
      'tenon review waive all B1 F3 --reason "Kept for the migration in May"',
    ],
  },
];
