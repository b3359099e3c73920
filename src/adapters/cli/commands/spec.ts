import type { CliCommand } from "../command.ts";

export const SPEC_COMMANDS: readonly CliCommand[] = [
  {
    path: "spec validate",
    operation: "spec.validate",
    summary: "Check the specs of features, bugs and research, each problem with its line",
    positionals: ["id"],
    examples: ["tenon spec validate", "tenon spec validate AUTH-001 --depth complete", "tenon spec validate --fix"],
  },
];
