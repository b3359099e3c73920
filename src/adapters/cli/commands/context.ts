import type { CliCommand } from "../command.ts";

export const CONTEXT_COMMANDS: readonly CliCommand[] = [
  {
    path: "context check",
    operation: "context.check",
    summary: "Check what exists that a change touches or contradicts",
    positionals: ["change_description"],
    examples: ["tenon context check", 'tenon context check "Log in with a passkey" --detail-level full'],
  },
  {
    path: "context suggest",
    operation: "context.suggest",
    summary: "What to read before a task, best first",
    positionals: ["task_description"],
    examples: ['tenon context suggest "Limit the size of uploads"'],
  },
  {
    path: "context audit",
    operation: "context.audit",
    summary: "Compare the specs with the code",
    positionals: ["scan_path"],
    examples: ["tenon context audit", "tenon context audit src --detail-level full"],
  },
];
