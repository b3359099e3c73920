import type { CliCommand } from "../command.ts";

export const RELEASE_COMMANDS: readonly CliCommand[] = [
  {
    path: "release-notes",
    operation: "release.notes",
    summary: "Tell in Markdown what was finished, from records alone",
    positionals: ["since"],
    examples: ["tenon release-notes", "tenon release-notes --since v1.2.0", "tenon release-notes --since 2026-01-31"],
  },
];
