import type { Command } from "../command.ts";

export const traceCommands: readonly Command[] = [
  {
    path: "trace",
    operation: "trace.show",
    summary: "Follow a requirement to its code and its tests, or a file back to what it serves",
    positionals: ["id"],
    examples: ["tenon trace", "tenon trace AUTH-001.AC-2", "tenon trace --path src/login.ts", "tenon trace --strict"],
  },
];
