import type { CliCommand } from "../../command.ts";

export const FEATURE_COMMANDS: readonly CliCommand[] = [
  {
    path: "design",
    operation: "feature.design",
    summary: "Begin a feature of the roadmap from a description, or design one anew",
    positionals: ["feature", "description"],
    examples: [
      'tenon design "Users log in with a second factor"',
      'tenon design two-factor-login "Users log in with a second factor"',
      "tenon design two-factor-login --confirm",
    ],
  },
  {
    path: "impl",
    operation: "feature.impl",
    summary: "Build a feature that is designed: what is left of it, or certain tasks again",
    positionals: ["feature", "tasks"],
    examples: ["tenon impl two-factor-login", "tenon impl two-factor-login 1.2 2.1"],
  },
];
