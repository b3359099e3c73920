import type { CliCommand } from "../command.ts";

export const CI_COMMANDS: readonly CliCommand[] = [
  {
    path: "ci",
    operation: "ci.run",
    summary: "Validate, verify receipts, look for drift and trace in one run; runs nothing of the repository",
    isCheck: true,
    ownFlags: {
      annotations: {
        type: "string",
        value: "github|none",
        choices: ["github", "none"],
        description: "Default: github where GITHUB_ACTIONS is true",
      },
    },
    afterwards: async () => (await import("../ci-annotations.ts")).printCiAnnotations,
    examples: ["tenon ci", "tenon ci --strict", "tenon ci --annotations github"],
  },
  {
    path: "ci example",
    operation: "ci.example",
    summary: "Show a file to copy: a workflow for GitHub, or an entry for pre-commit",
    positionals: ["for"],
    examples: ["tenon ci example github", "tenon ci example pre-commit"],
  },
];
