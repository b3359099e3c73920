import type { ModelChoice } from "#code/operations/ports/model.ts";
import type { CliCommand } from "./command-types.ts";

/** Only a user names a model: agents are not offered these flags, and repository settings cannot set them. */
const MODEL_FLAGS: NonNullable<CliCommand["ownFlags"]> = {
  with: {
    type: "string",
    value: "command",
    description: "An agent's command line, which reads the prompt on its input",
  },
  url: { type: "string", value: "url", description: "A host that speaks as Anthropic, OpenAI or Ollama do" },
  model: { type: "string", value: "name", description: "The model to ask there" },
  timeout: { type: "string", value: "seconds", description: "For each answer, at most 60; default 10" },
};

const readModelChoice = (flags: Readonly<Record<string, unknown>>): ModelChoice => ({
  command: readTextFlag(flags["with"]),
  url: readTextFlag(flags["url"]),
  model: readTextFlag(flags["model"]),
  timeout: readTextFlag(flags["timeout"]),
});

const readTextFlag = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const INDEX_COMMANDS: readonly CliCommand[] = [
  {
    path: "index",
    operation: "indexing.update",
    summary: "Bring the index of the code, its tags, tests and documents up to date",
    ownFlags: {
      watch: { type: "boolean", description: "Keep it up to date until interrupted" },
    },
    afterwards: async () => (await import("./watch-index.ts")).watchCodeIndex,
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

export const MEMORY_COMMANDS: readonly CliCommand[] = [
  {
    path: "memory save",
    operation: "memory.save",
    summary: "Remember something",
    positionals: ["title"],
    fileFor: "content",
    examples: [
      'tenon memory save "Tokens expire too early" --content "The clock of the cache host is slow" --type bugfix',
      "tenon memory save --save-type passive --file answer.md",
    ],
  },
  {
    path: "memory search",
    operation: "memory.search",
    summary: "Find what was remembered, by a question in plain words",
    positionals: ["query"],
    examples: [
      'tenon memory search "why do tokens expire too early?"',
      "tenon memory search 'rate limit type:decision since:30d'",
      'tenon memory search "deploy" --project "*"',
    ],
  },
  {
    path: "memory context",
    operation: "memory.context",
    summary: "Show the last sessions, prompts and observations",
    examples: ["tenon memory context", "tenon memory context --limit 50 --detail-level summary"],
  },
  {
    path: "memory get",
    operation: "memory.get",
    summary: "Show one observation whole, with its relations",
    positionals: ["id"],
    examples: ["tenon memory get 12", "tenon memory get 12 --depth 3 --json"],
  },
  {
    path: "memory timeline",
    operation: "memory.timeline",
    summary: "Show what was saved before and after an observation",
    positionals: ["observation_id"],
    examples: ["tenon memory timeline 12", "tenon memory timeline 12 --before 2 --after 10"],
  },
  {
    path: "memory update",
    operation: "memory.update",
    summary: "Change an observation; the old text is kept as a revision",
    positionals: ["id"],
    fileFor: "content",
    examples: ['tenon memory update 12 --content "It was the load balancer"', 'tenon memory update 12 --topic-key ""'],
  },
  {
    path: "memory delete",
    operation: "memory.delete",
    summary: "Delete an observation, for good or not, or bring it back",
    positionals: ["id"],
    examples: [
      "tenon memory delete 12",
      "tenon memory delete 12 --undelete",
      "tenon memory delete --source https://example.com/page --hard-delete",
    ],
  },
  {
    path: "memory session",
    operation: "memory.session",
    summary: "Start or end a session",
    positionals: ["action", "id"],
    fileFor: "summary",
    examples: ["tenon memory session start monday", 'tenon memory session end monday --summary "Login works again"'],
  },
  {
    path: "memory relate",
    operation: "memory.relate",
    summary: "Relate two observations, or take a relation away",
    positionals: ["from_id", "relation_type", "to_id"],
    examples: ["tenon memory relate 12 caused_by 9", "tenon memory relate --action remove --id 3"],
  },
  {
    path: "memory history",
    operation: "memory.history",
    summary: "Show the revisions of a topic and what changed in each",
    positionals: ["topic_key"],
    examples: ["tenon memory history bug/tokens-expire-too-early", "tenon memory history --id 12"],
  },
  {
    path: "memory progress",
    operation: "memory.progress",
    summary: "Keep or read a project's progress as JSON",
    fileFor: "content",
    examples: ["tenon memory progress", `tenon memory progress --content '{"done":["login"],"next":["logout"]}'`],
  },
  {
    path: "memory compact",
    operation: "memory.compact",
    summary: "List old observations, or put some away behind a summary",
    examples: [
      "tenon memory compact --older-than-days 180",
      'tenon memory compact --older-than-days 180 --compact-ids 3,4,9 --summary-title "Early login work" --summary-content "…"',
    ],
  },
  {
    path: "memory suggest-topic-key",
    operation: "memory.suggest-topic-key",
    summary: "Suggest a topic key",
    positionals: ["title"],
    examples: ['tenon memory suggest-topic-key "Tokens expire too early" --type bugfix'],
  },
  {
    path: "memory stats",
    operation: "memory.stats",
    summary: "Show how much is remembered, by project",
    examples: ["tenon memory stats"],
  },
  {
    path: "memory export",
    operation: "memory.export",
    summary: "Write all of memory to a file, as JSON lines",
    positionals: ["file"],
    examples: ["tenon memory export memory.jsonl"],
  },
  {
    path: "memory import",
    operation: "memory.import",
    summary: "Take in an export, or the memory.db of Hoofy or engram",
    positionals: ["file"],
    examples: ["tenon memory import memory.jsonl", "tenon memory import ~/.hoofy/memory.db"],
  },
  {
    path: "memory backup",
    operation: "memory.backup",
    summary: "Copy the database while it is in use",
    positionals: ["file"],
    examples: ["tenon memory backup memory-backup.db"],
  },
];
