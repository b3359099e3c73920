import type { CliCommand } from "../../command.ts";

export const KNOWLEDGE_COMMANDS: readonly CliCommand[] = [
  {
    path: "knowledge",
    operation: "knowledge.manage",
    summary: "Show what was learned, add to it, review what waits, and see what might become a skill",
    positionals: ["action", "name"],
    fileFor: "text",
    examples: [
      "tenon knowledge",
      'tenon knowledge add --type pattern --text "Input is parsed at the edge" --why "Where others call us"',
      "tenon knowledge review",
      "tenon knowledge review 3f9a1c --answer accept",
      "tenon knowledge skills",
      "tenon knowledge show input-parsed-edge",
    ],
  },
  {
    path: "knowledge approve",
    operation: "knowledge.approve",
    summary: "Make a skill of a pattern that several features share; never for an agent to do",
    positionals: ["candidate"],
    examples: [
      "tenon knowledge approve input-parsed-edge",
      'tenon knowledge approve input-parsed-edge --name parsing --description "Use it at every edge"',
    ],
  },
];
