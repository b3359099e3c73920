import type { CliCommand } from "../command.ts";

export const EXPLORE_COMMANDS: readonly CliCommand[] = [
  {
    path: "explore record",
    operation: "explore.record",
    summary: "Capture goals, constraints and unknowns before work begins",
    positionals: ["title"],
    examples: [
      'tenon explore record "User auth" --goals "Log in with a passkey" --constraints "No new service"',
      'tenon explore record "User auth" --decisions "WebAuthn, passwords stay as fallback"',
    ],
  },
];
