import type { CliCommand } from "../../command.ts";

export const STEERING_COMMANDS: readonly CliCommand[] = [
  {
    path: "steering",
    operation: "steering.manage",
    summary: "Say what all work follows: product, technology, structure and further topics",
    positionals: ["action", "name"],
    fileFor: "text",
    examples: [
      'tenon steering create --purpose "Tide tables for harbours" --vision "No table is copied by hand"',
      "tenon steering show",
      'tenon steering update --success-criteria "Tides of 48 hours within a second"',
      'tenon steering update tech --section Architecture --text "One server, one page"',
      "tenon steering custom api-standards",
      "tenon steering profile go",
      "tenon steering delete api-standards",
    ],
  },
];
