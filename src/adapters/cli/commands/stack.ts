import type { CliCommand } from "../command.ts";

export const STACK_COMMANDS: readonly CliCommand[] = [
  {
    path: "stack",
    operation: "stack.detect",
    summary: "Show what the code is written in and which checks would run; runs nothing",
    positionals: ["profile"],
    examples: ["tenon stack", "tenon stack python-fastapi", "tenon stack --json"],
  },
  {
    path: "trust",
    operation: "stack.trust",
    summary: "Look at what this repository would run, and let it run; never for an agent to do",
    asks: { field: "confirm", token: "token", question: "Let all of this run, as shown?" },
    examples: [
      "tenon trust",
      "tenon trust --confirm 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      "tenon trust --pass DATABASE_URL",
      "tenon trust --revoke",
    ],
  },
];
