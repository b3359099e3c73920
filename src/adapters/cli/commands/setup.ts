import type { CliCommand } from "../command.ts";

export const SETUP_COMMANDS: readonly CliCommand[] = [
  {
    path: "setup",
    operation: "setup.clients",
    summary: "Connect your clients: server, rules, commands, hooks; without a name it lists what is here",
    positionals: ["clients"],
    examples: [
      "tenon setup",
      "tenon setup codex cursor --dry-run",
      "tenon setup codex cursor",
      "tenon setup --all",
      "tenon setup gemini --user",
      "tenon setup cursor --remove",
      "tenon setup --remove",
    ],
  },
];
