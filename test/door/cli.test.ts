import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCommandArguments } from "#doors/cli/command-arguments.ts";
import { CLI_COMMANDS, matchCommand } from "#doors/cli/command-table.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { tenon } from "../kit/process.ts";
import { FEATURE_LIFE, writeLesson, writePapers } from "../kit/feature-life.ts";
import { PROJECT_LIFE } from "../kit/project.ts";

const START = ["change", "start", "Fix login", "--type", "fix", "--size", "small"];
const DAMAGED = join("sdd", "changes", "fix-login", "change.json");

/** What each line of a session exits with, in order. `damage` and `mend` stand for a hand at the record. */
const EXITS: readonly (readonly [line: string, code: number])[] = [
  ["status", 0],
  ["help", 0],
  ["version", 0],
  ["change", 0],
  ["change status", 1],
  ["change status no-such-change", 1],
  ["--workspace", 2],
  ["stauts", 2],
  ["change strat", 2],
  ["status extra", 1],
  ["status extra more", 2],
  ["status --verbose", 2],
  ["status --json --json", 2],
  ["status --workspace", 2],
  ["change list --limit many", 2],
  ["change list --limit 0", 2],
  ["change start", 2],
  ["change start Fix --type fix --size tiny", 2],
  ["change advance --file /nowhere/at/all", 2],
  ["completion powershell", 2],
  ["status --workspace /nowhere/at/all", 1],
  ["change start Fix-login --type fix --size small", 0],
  ["change start Another --type fix --size small", 1],
  ["change advance --content Login-fails.", 0],
  ["change advance --content Nothing-of-use.", 3],
  ["feature A-passkey-for-everybody --id AUTH-001 --files src/login.ts", 0],
  ["feature Again --id AUTH-001", 1],
  ["workflow advance", 3],
  ["workflow advance --approve Ann", 0],
  ["bugfix Login-fails --id BUG-001 --files src/login.ts", 1],
  ["bugfix Login-fails --id BUG-002 --files src/token.ts", 0],
  ["lock claim src/login.ts", 1],
  ["lock claim src/login.ts --force", 0],
  ["conflicts AUTH-001 BUG-002", 1],
  ["conflicts AUTH-001 fix-login", 0],
  ["conflicts AUTH-001 NONE-001", 2],
  ["conflicts AUTH-001", 2],
  ["bugfix Login-fails --id UI-001", 2],
  ["research Which --timebox soon", 2],
  ["lock claim ../outside", 2],
  ["workflow switch AUTH-001", 0],
  ["workflow prioritize AUTH-001 10", 2],
  ["workflow prioritize AUTH-001 -1", 2],
  ["workflow prioritize AUTH-001 1.5", 2],
  ["workflow prioritize AUTH-001 NaN", 2],
  ["queue add UI-001 feature 4", 0],
  ["queue add UI-002 feature", 2],
  ["queue add UI-002 chore 3", 2],
  ["queue list", 0],
  ["queue prioritize UI-001 2", 0],
  ["queue remove UI-001", 0],
  ["queue remove UI-001", 1],
  ["queue nonsense", 2],
  ["queue add --help", 0],
  ["help queue", 0],
  ["validate", 0],
  ["doctor", 0],
  ["damage", 0],
  ["status", 0],
  ["validate", 3],
  ["doctor", 3],
  ["change status", 1],
];

test("every exit code says what happened", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  const run = async (line: string): Promise<number> => {
    if (line !== "damage") return (await house.run(...line.split(" "))).code;
    fs.appendFileSync(join(repository.path, DAMAGED), "x");
    return 0;
  };
  const codes: (readonly [string, number])[] = [];
  for (const [line] of EXITS) codes.push([line, await run(line)]);
  expect(codes).toEqual(EXITS);
});

test.each([
  ["status", 0],
  ["change status", 1],
  ["stauts", 2],
  ["workflow advance", 3],
])("the process of %s exits with %i", async (line, code) => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run("feature", "A passkey", "--id", "AUTH-001", "--session", "default");
  expect(tenon(line.split(" "), { cwd: repository.path }).code).toBe(code);
});

/** A call as flags, texts and lists alike. */
function wordsFor(id: string, input: Readonly<Record<string, unknown>>): string[] {
  const path = CLI_COMMANDS.find((command) => command.operation === id)?.path ?? id;
  const flags = Object.entries(input).flatMap(([name, value]) => [
    `--${name.replaceAll("_", "-")}`,
    ...(value === true ? [] : [typeof value === "string" ? value : JSON.stringify(value)]),
  ]);
  return [...path.split(" "), ...flags];
}

const ADR = ["--context", "Two stores drift", "--decision", "One file", "--rationale", "One truth"];
const LIFE: readonly (readonly string[])[] = [
  ["init"],
  ["status"],
  ["setup", "agents"],
  ["adopt", "scan"],
  ["adopt"],
  ["import"],
  START,
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
  ["feature", "Log in with a passkey", "--id", "AUTH-001", "--files", "src/login.ts"],
  ["bugfix", "Login fails"],
  ["research", "Which provider", "--timebox", "1h"],
  ["workflow", "status", "--all"],
  ["workflow", "switch", "AUTH-001"],
  ["workflow", "advance", "--check"],
  ["gate"],
  ["evidence", "AUTH-001"],
  ["bite", "AUTH-001"],
  ["workflow", "prioritize", "AUTH-001", "1"],
  ["lock", "list"],
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
  ...PROJECT_LIFE.map(([id, input]) => wordsFor(id, input)),
  ...FEATURE_LIFE.filter(([id], i, all) => all.findIndex(([other]) => other === id) === i).map(([id, input]) =>
    wordsFor(id, input),
  ),
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

test("--json prints exactly what the operation answers, on one line", { timeout: 180_000 }, async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  git(repository.path, "commit", "-q", "--allow-empty", "-m", "Begin");
  fs.mkdirSync(join(repository.path, "src"));
  fs.writeFileSync(join(repository.path, "src/login.ts"), "export const login = 1;\n");
  writePapers(repository.path);
  writeLesson(repository.path);
  using house = testHouse(repository.path, { dataFolder: home.path });
  for (const words of LIFE) {
    const { code, out, err } = await house.run(...words, "--json");
    const { command } = matchCommand(words) ?? {};
    const operation = await loadCatalogueOperation(command?.operation ?? "workspace.init");
    const output: unknown = JSON.parse(out);
    const parsed = (await operation.output()).parse(output);
    expect([words, err, out]).toEqual([words, "", `${JSON.stringify(output)}\n`]);
    expect([parsed, code]).toEqual([output, operation.isRefusal?.(output) ? (command?.isCheck ? 1 : 3) : 0]);
  }
});

test("the session above says every command there is", () => {
  const said = new Set(LIFE.map((words) => matchCommand(words)?.command.path));
  expect(CLI_COMMANDS.map((command) => command.path).filter((path) => !said.has(path))).toEqual([]);
});

test("--json prints a fault as JSON too, to standard error", () => {
  using repository = temporaryRepository();
  const { code, out, err } = tenon(["change", "status", "--json"], { cwd: repository.path });
  expect([code, out]).toEqual([1, ""]);
  expect(JSON.parse(err)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": "change.none-active",
        "fix": [
          "tenon change start --type fix --size small "…"",
          "tenon change list",
        ],
        "what": "There is no active change.",
        "why": "None was named, and none is under way.",
      },
    }
  `);
});

test("the help of every command has examples, and each of them can be typed", async () => {
  using folder = temporaryFolder();
  using house = testHouse(folder.path);
  for (const command of CLI_COMMANDS) {
    const { code, out, err } = await house.run(...command.path.split(" "), "--help");
    expect([command.path, code, err]).toEqual([command.path, 0, ""]);
    expect(out.split("\nExamples:\n")[1]).toBe(command.examples.map((example) => `  ${example}\n`).join(""));
    expect(command.examples.length).toBeGreaterThan(0);
    const { inputSchema } = await house.house.surface.of(command.operation);
    for (const example of command.examples) {
      const words = [...example.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match.slice(1).join(""));
      const match = matchCommand(words.slice(1));
      expect([example, words[0], match?.command.path]).toEqual([example, "tenon", command.path]);
      expect(() => parseCommandArguments(command, match?.rest ?? [], inputSchema)).not.toThrow();
    }
  }
  expect(fs.readdirSync(folder.path)).toEqual([]);
});

test.each([["--help"], ["-h"], ["help"], ["change --help"], ["mcp --help"], ["adr record -h"]])(
  "tenon %s needs no workspace",
  (line) => {
    using folder = temporaryFolder();
    const { code, out, err } = tenon(line.split(" "), { cwd: folder.path });
    expect([code, err, out.length > 100]).toEqual([0, "", true]);
  },
);

test("a file that is named, and standard input, give the text of an artifact", () => {
  using repository = temporaryRepository();
  const at = { cwd: repository.path };
  fs.writeFileSync(join(repository.path, "description.md"), "# Login\r\n\r\nIt fails.");
  expect(tenon(START, at).code).toBe(0);
  expect(tenon(["change", "advance", "--file", "description.md"], at).code).toBe(0);
  expect(tenon(["context", "check"], at).code).toBe(0);
  const input = "## Findings\n\nNöthing 🙂\n\n## Impact\n\nPatch.";
  expect(tenon(["change", "advance", "--file", "-"], { ...at, input }).code).toBe(0);
  const folder = join(repository.path, "sdd", "changes", "fix-login");
  const written = ["describe.md", "context-check.md"].map((name) => fs.readFileSync(join(folder, name), "utf8"));
  expect(written).toEqual(["# Login\n\nIt fails.\n", `${input}\n`]);
});

test("--input reads the arguments from a file, and a flag says otherwise", () => {
  using repository = temporaryRepository();
  const file = join(repository.path, "input.json");
  const run = (...words: string[]) => tenon(["project", "init", ...words, "--json"], { cwd: repository.path });
  for (const text of ["[]", "null", "7", '"x"', "{"]) {
    fs.writeFileSync(file, text);
    const { code, out, err } = run("--input", file);
    expect([text, code, out, err]).toEqual([text, 2, "", expect.stringContaining('"code":"usage.bad-input"')]);
  }
  fs.writeFileSync(file, JSON.stringify({ name: "Tides", description: "Tables", moude: "expert" }));
  expect(run("--input", file)).toMatchObject({ code: 2, err: expect.stringContaining("input.invalid") });
  const proposal = JSON.stringify({ "problem-statement": "They copy by hand." });
  const missing = tenon(["project", "propose", "--input", "-", "--json"], {
    cwd: repository.path,
    input: proposal,
  }).err;
  expect([missing.includes("target_users is missing"), missing.includes("problem_statement")]).toEqual([true, false]);
  fs.writeFileSync(file, JSON.stringify({ name: "Tides", description: "Tables", mode: "expert" }));
  const { code, out } = run("--input", file, "--name", "Ebb");
  expect([code, JSON.parse(out)]).toEqual([
    0,
    expect.objectContaining({ project: expect.objectContaining({ name: "Ebb", mode: "expert" }) }),
  ]);
});
