import fs from "node:fs";
import { join } from "node:path";
import { CLI_COMMANDS } from "#doors/cli/command-table.ts";
import { FEATURE_LIFE, PLAN, writeLesson, writePapers } from "./feature-life.ts";
import { git } from "./folder.ts";
import { PROJECT_LIFE } from "./project.ts";

/** A call as flags, texts and lists alike. */
function listCommandWords(id: string, input: Readonly<Record<string, unknown>>): string[] {
  const path = CLI_COMMANDS.find((command) => command.operation === id)?.path ?? id;
  const flags = Object.entries(input).flatMap(([name, value]) => [
    `--${name.replaceAll("_", "-")}`,
    ...(value === true ? [] : [typeof value === "string" ? value : JSON.stringify(value)]),
  ]);
  return [...path.split(" "), ...flags];
}

const ADR = ["--context", "Two stores drift", "--decision", "One file", "--rationale", "One truth"];
/** A session that uses every command once. */
export const CLI_LIFE: readonly (readonly string[])[] = [
  ["init"],
  ["status"],
  ["setup", "agents"],
  ["adopt", "scan"],
  ["adopt", "--write"],
  ["adopt", "undo"],
  ["adopt", "--write"],
  ["adopt", "accept", "--all"],
  ["import"],
  ["export", "openspec"],
  ["change", "start", "Fix login", "--type", "fix", "--size", "small"],
  ["change", "advance", "--content", "Login fails.", "--title", "Login"],
  ["change", "advance", "--content", "Nothing of use."],
  ["context", "check"],
  ["context", "suggest", "Log in"],
  ["context", "audit"],
  ["change", "reopen", "--stage", "describe", "--reason", "Misread"],
  ["change", "status", "fix-login"],
  ["change", "list", "--limit", "1"],
  ["adr", "record", "Keep it", ...ADR],
  ["adr", "record", "Keep it not", ...ADR, "--supersedes", "ADR-001"],
  ["adr", "status", "fix-login/ADR-002", "deprecated", "--reason", "Gone"],
  ["adr", "list"],
  ["change", "resize", "--size", "medium", "--reason", "It grew"],
  ["change", "review"],
  ["change", "abandon", "--reason", "Solved upstream"],
  ["change", "archive", "fix-login"],
  ["quick", "Fix a typo in the title"],
  ["change", "abandon", "--reason", "The title is gone"],
  ["feature", "Log in with a passkey", "--id", "AUTH-001", "--files", "src/login.ts"],
  ["bugfix", "Login fails"],
  ["research", "Which provider", "--timebox", "1h"],
  ["workflow", "status", "--all"],
  ["workflow", "switch", "AUTH-001"],
  ["workflow", "advance", "--check"],
  ["gate"],
  ["evidence", "AUTH-001"],
  ["mutation-check", "AUTH-001"],
  ["workflow", "prioritize", "AUTH-001", "1"],
  ["lock", "list"],
  ["work", "show", "AUTH-001"],
  ["approve", "--list"],
  ["conflicts", "AUTH-001", "BUG-001"],
  ["workflow", "snapshot"],
  ["workflow", "rollback", "AUTH-001", "discover"],
  ["workflow", "resume", "AUTH-001"],
  ["workflow", "abandon", "AUTH-001", "--reason", "Solved upstream"],
  ["stats", "--since", "7d"],
  ["validate"],
  ["spec", "validate"],
  ["verify", "--strict"],
  ["trust"],
  ["stack"],
  ["stack", "rust"],
  ["steering"],
  ["steering", "create", "--vision", "Nobody copies a table by hand"],
  ["steering", "update", "tech", "--section", "Architecture", "--text", "One server"],
  ["steering", "delete", "--confirm", "RESET"],
  ["decide", "Keep state in SQLite", "--reason", "Two stores drift"],
  ["handover"],
  ["handover", "--accomplished", "Passkeys work", "--next", "Review them"],
  ["handover", "--resume"],
  ["knowledge"],
  ["knowledge", "add", "--type", "pattern", "--text", "Retries are safe"],
  ["knowledge", "skills"],
  ["knowledge", "approve", "utc", "--name", "times-in-utc"],
  ["index"],
  ["feed"],
  ["query", "how does login work"],
  ["trace"],
  ["trace", "AUTH-001", "--strict"],
  ["drift"],
  ["drift", "AUTH-001", "--level", "high"],
  ["impact", "src/login.ts"],
  ["ci"],
  ["ci", "example", "github"],
  ["release-notes", "--since", "2026-01-31"],
  ["doctor"],
  ["summarize", "--dry-run"],
  ...PROJECT_LIFE.map(([id, input]) => listCommandWords(id, input)),
  ...FEATURE_LIFE.filter(([id], i, all) => all.findIndex(([other]) => other === id) === i).map(([id, input]) =>
    listCommandWords(id, input),
  ),
  listCommandWords("roadmap.manage", { action: "create", features: PLAN }),
  ["run", "--plan"],
  ["run", "show"],
  ["run", "check"],
  ["roadmap", "graph"],
  ["documents"],
  ["release"],
  ["explore", "record", "Login", "--goals", "Fix it"],
  ["memory", "save", "Blanks are trimmed", "--content", "Nobody means them."],
  ["memory", "search", "blanks"],
  ["memory", "context"],
  ["memory", "get", "1"],
  ["memory", "timeline", "1"],
  ["memory", "update", "1", "--title", "Changed"],
  ["memory", "session", "start", "monday"],
  ["memory", "relate", "1", "depends_on", "2"],
  ["memory", "history", "--id", "1"],
  ["memory", "progress", "--content", "[1]"],
  ["memory", "compact", "--older-than-days", "1"],
  ["memory", "suggest-topic-key", "Login"],
  ["memory", "stats"],
  ["memory", "export", "memory.jsonl"],
  ["memory", "import", "memory.jsonl"],
  ["memory", "backup", "memory.db"],
  ["memory", "delete", "1"],
];

/** The repository that the session begins in. */
export function prepareCliLife(root: string): void {
  git(root, "commit", "-q", "--allow-empty", "-m", "Begin");
  fs.mkdirSync(join(root, "src"));
  fs.writeFileSync(join(root, "src/login.ts"), "export const login = 1;\n");
  writePapers(root);
  writeLesson(root);
}
