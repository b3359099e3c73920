import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCommandArguments } from "#doors/cli/command-arguments.ts";
import { CLI_COMMANDS, matchCommand } from "#doors/cli/command-table.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { PERSON, testHouse } from "../kit/house.ts";
import { tenon } from "../kit/process.ts";
import { CLI_LIFE, prepareCliLife } from "../kit/cli-life.ts";

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

test("returns an exit code for each outcome", async () => {
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
])("%s exits with %i", async (line, code) => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run("feature", "A passkey", "--id", "AUTH-001", "--session", "default");
  expect(tenon(line.split(" "), { cwd: repository.path }).code).toBe(code);
});

test("--json prints exactly the operation's answer, on one line", { timeout: 180_000 }, async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  prepareCliLife(repository.path);
  using house = testHouse(repository.path, { dataFolder: home.path }, PERSON);
  for (const words of CLI_LIFE) {
    const { code, out, err } = await house.run(...words, "--json");
    const { command } = matchCommand(words) ?? {};
    const operation = await loadCatalogueOperation(command?.operation ?? "workspace.init");
    const output: unknown = JSON.parse(out);
    const parsed = (await operation.output()).parse(output);
    expect([words, err, out]).toEqual([words, "", `${JSON.stringify(output)}\n`]);
    expect([parsed, code]).toEqual([output, operation.isRefusal?.(output) ? (command?.isCheck ? 1 : 3) : 0]);
  }
});

test("the session above runs every command but those that need a server or agents", () => {
  const said = new Set(CLI_LIFE.map((words) => matchCommand(words)?.command.path));
  const left = CLI_COMMANDS.map((command) => command.path).filter((path) => !said.has(path));
  // Of `test/running/stop.test.ts` and `test/team`.
  expect(left).toEqual(["run stop", "run resume", "worker", "team init", "team status", "team doctor", "team export"]);
});

test("--json prints a fault as JSON to standard error", () => {
  using repository = temporaryRepository();
  const { code, out, err } = tenon(["change", "status", "--json"], { cwd: repository.path });
  expect([code, out]).toEqual([1, ""]);
  expect(JSON.parse(err)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": "change.none-active",
        "fix": [
          "tenon change start "…" --type fix --size small",
          "tenon change list",
        ],
        "what": "No change is in progress.",
        "why": "You named none, and none is active.",
      },
    }
  `);
});

test("the help of every command has valid examples", async () => {
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
  "tenon %s works without a workspace",
  (line) => {
    using folder = temporaryFolder();
    const { code, out, err } = tenon(line.split(" "), { cwd: folder.path });
    expect([code, err, out.length > 100]).toEqual([0, "", true]);
  },
);

test("reads an artifact from a named file or standard input", () => {
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

test("--input reads the arguments from a file, and a flag overrides it", () => {
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
  const names = ["Missing arguments: `--target-users`, ", "problem-statement", "problem_statement"];
  expect(names.map((name) => missing.includes(name))).toEqual([true, false, false]);
  fs.writeFileSync(file, JSON.stringify({ name: "Tides", description: "Tables", mode: "expert" }));
  const { code, out } = run("--input", file, "--name", "Ebb");
  expect([code, JSON.parse(out)]).toEqual([
    0,
    expect.objectContaining({ project: expect.objectContaining({ name: "Ebb", mode: "expert" }) }),
  ]);
});
