import type { CliCommand } from "../command.ts";

export const TRACE_COMMANDS: readonly CliCommand[] = [
  {
    path: "trace",
    operation: "trace.show",
    summary: "Follow a requirement to its code and its tests, or a file back to what it serves",
    positionals: ["id"],
    examples: ["tenon trace", "tenon trace AUTH-001.AC-2", "tenon trace --path src/login.ts", "tenon trace --strict"],
  },
  {
    path: "drift",
    operation: "trace.drift",
    summary: "See which code is not what it was when it was accepted as what a requirement asks",
    positionals: ["id"],
    examples: [
      "tenon drift",
      "tenon drift AUTH-001 --level high",
      'tenon drift --accept AUTH-001 --reason "The limit is counted per hour by now"',
    ],
  },
  {
    path: "impact",
    operation: "trace.impact",
    summary: "See what a change to a symbol, a file or a requirement reaches: code, requirements, tests",
    positionals: ["of"],
    examples: ["tenon impact AUTH-001", "tenon impact src/login.ts#Session.login --depth 5"],
  },
];
