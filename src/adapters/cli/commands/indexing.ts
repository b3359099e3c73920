import type { Command } from "../command.ts";

export const indexingCommands: readonly Command[] = [
  {
    path: "index",
    operation: "indexing.update",
    summary: "Bring the index of the code, its tags, tests and documents up to date",
    examples: ["tenon index", "tenon index --full", "tenon index --json"],
  },
  {
    path: "query",
    operation: "indexing.query",
    summary: "Ask about the code in plain words; the answer is at most a kilobyte",
    positionals: ["question"],
    examples: [
      'tenon query "how does login work"',
      "tenon query src/auth.ts#Session.login",
      'tenon query "what calls login"',
    ],
  },
];
