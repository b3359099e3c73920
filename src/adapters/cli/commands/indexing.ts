import type { CliCommand } from "../command.ts";
import { MODEL_FLAGS, readModelChoice } from "../model-flags.ts";

export const INDEX_COMMANDS: readonly CliCommand[] = [
  {
    path: "index",
    operation: "indexing.update",
    summary: "Bring the index of the code, its tags, tests and documents up to date",
    ownFlags: {
      watch: { type: "boolean", description: "Keep it up to date until interrupted" },
    },
    afterwards: async () => (await import("../watch-index.ts")).watchCodeIndex,
    examples: ["tenon index", "tenon index --full", "tenon index --watch", "tenon index --docs --dry-run"],
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
  {
    path: "feed",
    operation: "indexing.feed",
    summary: "Show the last commits with their files and the specs they name",
    examples: ["tenon feed", "tenon feed --limit 5", "tenon feed --json"],
  },
  {
    path: "summarize",
    operation: "indexing.summarize",
    summary: "Have code, specs and documents summed up in a line each, by a model you name or by hand",
    positionals: ["key"],
    ownFlags: MODEL_FLAGS,
    names: readModelChoice,
    examples: [
      "tenon summarize --dry-run",
      'tenon summarize --with "claude -p" --timeout 60',
      "tenon summarize --url http://127.0.0.1:11434/v1 --model llama3.2 --type components",
      'tenon summarize src/auth.ts#login --text "Checks a passkey and begins a session"',
    ],
  },
];
