import type { Command } from "../command.ts";

export const releaseCommands: readonly Command[] = [
  {
    path: "release-notes",
    operation: "release.notes",
    summary: "Tell in Markdown what was finished, from records alone",
    positionals: ["since"],
    examples: ["tenon release-notes", "tenon release-notes --since v1.2.0", "tenon release-notes --since 2026-01-31"],
  },
];
