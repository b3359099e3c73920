import type { CliCommand } from "../command.ts";

export const IMPORT_COMMANDS: readonly CliCommand[] = [
  {
    path: "import",
    operation: "importing.take",
    summary: "Take over what Hoofy, spec-drive, sync-sdd, Spec Kit, OpenSpec, Kiro or cc-sdd left here",
    positionals: ["sources"],
    examples: [
      "tenon import",
      "tenon import --apply",
      "tenon import ../old-shop --from spec-kit",
      "tenon import --json",
    ],
  },
];
