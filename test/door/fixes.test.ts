import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DOOR_TABLE } from "#doors/catalogue.ts";
import { renderTerminalFix } from "#doors/cli/terminal-render.ts";
import { renderMcpFix } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { type TestHouse, testHouse } from "../kit/house.ts";
import { createSampleCall, SUGGESTED_CALLS, TEXT_COMMANDS } from "../kit/suggested-calls.ts";
import { findCommandProblem, readInputSchema, splitCommandLine, UTILITIES } from "../kit/suggested-command.ts";

test("every call that a fault or answer suggests parses in both doors, with all required arguments", () => {
  const wrong: string[] = [];
  for (const suggested of SUGGESTED_CALLS) {
    const { path, operation, given } = suggested;
    const refuse = (why: string) => wrong.push(`${path}: ${operation}: ${why}`);
    if (!Object.hasOwn(DOOR_TABLE, operation)) {
      refuse("does not exist");
      continue;
    }
    const { properties: fields = {}, required = [] } = readInputSchema(operation);
    for (const [name, value] of given) {
      const choices = fields[name]?.enum;
      const said = value.type === "Literal" ? value["value"] : undefined;
      if (!fields[name]) refuse(`has no ${name}`);
      else if (choices && typeof said === "string" && !choices.includes(said)) refuse(`${name} cannot be ${said}`);
    }
    const call = createSampleCall(suggested);
    const problem = findCommandProblem(renderTerminalFix(call));
    if (problem) refuse(`${renderTerminalFix(call)}: ${problem}`);
    const [tool = "", ...rest] = renderMcpFix(call, MCP_TOOLS).split(" ");
    if (tool === "ask") continue;
    const sent = Object.keys(JSON.parse(rest.join(" ")) as object);
    if (!MCP_TOOLS.some(({ name }) => name === tool)) refuse(`${tool} is not a tool`);
    for (const name of required.filter((each) => !sent.includes(each))) refuse(`${tool} needs ${name}`);
  }
  expect(wrong).toEqual([]);
  expect(SUGGESTED_CALLS.length).toBeGreaterThan(200);
});

test("every command that a text suggests parses", () => {
  const wrong = TEXT_COMMANDS.flatMap(({ path, line }) => {
    const problem = findCommandProblem(line);
    return problem ? [`${path}: ${line}: ${problem}`] : [];
  });
  expect(wrong).toEqual([]);
  expect(TEXT_COMMANDS.length).toBeGreaterThan(20);
});

const USAGE_ERROR = /^error\[(?:usage\.|input\.missing|input\.invalid\]: (?:Unknown|Missing|\S+ must))|^defect/m;

test("every suggested command runs in a workspace without a usage error", async () => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path, {}, { save: async () => undefined });
  await house.run("init");
  const file = join(folder.path, "text.md");
  fs.writeFileSync(file, "A text.\n");
  const lines = new Map([
    ...SUGGESTED_CALLS.map((each) => [renderTerminalFix(createSampleCall(each)), each.path] as const),
    ...TEXT_COMMANDS.map(({ path, line }) => [line, path] as const),
  ]);
  const wrong: unknown[] = [];
  for (const [line, path] of lines) {
    const [, ...words] = splitCommandLine(line.replace("<path>", file));
    if (UTILITIES.includes(words[0] ?? "")) continue;
    const { err } = await house.run(...words);
    if (USAGE_ERROR.test(err)) wrong.push({ path, line, err });
  }
  expect(wrong).toEqual([]);
  expect(lines.size).toBeGreaterThan(100);
});

/** Lines that fail in a new workspace. */
const FAILING = [
  "stauts",
  "frobnicate",
  "change strat",
  "status extra",
  "status --verbose",
  "change status",
  "change status no-such-change",
  "change list --limit 0",
  "change start",
  "change start Fix --type fix --size tiny",
  "change advance",
  "change archive",
  "change reopen --stage spec --reason x",
  "ci example",
  "setup claude-code",
  "trace AUTH-009",
  "trace src/nowhere.ts",
  "impact nowhere",
  "impact AUTH-001",
  "workflow advance",
  "workflow status AUTH-009",
  "workflow switch AUTH-009",
  "workflow resume AUTH-009",
  "gate",
  "evidence",
  "verify AUTH-009",
  "conflicts AUTH-001",
  "roadmap run",
  "impl user-login",
  "status no-such-feature",
  "review design",
  "report none",
  "spec validate AUTH-009",
  "stack no-such-profile",
  "adr status ADR-0009 deprecated",
  "memory get 99",
  "memory update 99 --content x",
  "project propose",
  "project validate",
  "knowledge show nothing",
  "steering update --file tech",
  "lock release src/none.ts",
  "import /nowhere/at/all",
];

test("help accepts its own flag", async () => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path);
  expect(await house.run("help", "--help")).toEqual(await house.run("help"));
});

test("suggests a fix that parses, and never the command that failed", async () => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path);
  await house.run("init");
  const wrong: unknown[] = [];
  let fixes = 0;
  for (const line of FAILING) {
    const { code, err } = await house.run(...line.split(" "), "--json");
    if (code === 0 || err === "") continue;
    const { error } = JSON.parse(err.slice(err.indexOf("{"))) as { error: { code: string; fix: string[] } };
    for (const fix of error.fix) {
      if (!fix.startsWith("tenon ")) continue;
      fixes++;
      if (fix === `tenon ${line}`) wrong.push({ line, fix, is: "the call that failed" });
      const [, ...given] = splitCommandLine(fix);
      // With blanks to fill in, help parses the same flags and runs nothing.
      const isOpen = /…|<path>/.test(fix) && !fix.endsWith("--help");
      const answer = await house.run(...given, ...(isOpen ? ["--help"] : []));
      if (/^error\[(?:usage|input)\.|^defect/.test(answer.err)) wrong.push({ line, fix, answer: answer.err });
    }
  }
  expect(wrong).toEqual([]);
  expect(fixes).toBeGreaterThan(30);
});

/** Lines of `FAILING` whose first command does the missing step, so that the line then gets further. */
const MISSING_STEPS = [
  "change status",
  "change advance",
  "change reopen --stage spec --reason x",
  "workflow advance",
  "gate",
  "evidence",
  "roadmap run",
  "lock release src/none.ts",
];

/** The first command corrects the words, but the workspace lacks the work they name. The last one needs a file. */
const NOT_CURED = ["conflicts AUTH-001", "project validate", "import /nowhere/at/all", "steering update --file tech"];

async function readFault(house: TestHouse, line: string) {
  const { code, err } = await house.run(...splitCommandLine(line), "--json");
  // A gate that does not pass is an answer, with its progress in `err`.
  if (code === 0 || !err.includes("{")) return { code: undefined, fix: [] };
  return (JSON.parse(err.slice(err.indexOf("{"))) as { error: { code: string; fix: string[] } }).error;
}

/** Runs a line and then the first command that its fault names. */
async function runFix(house: TestHouse, line: string) {
  await house.run("init");
  const { code, fix } = await readFault(house, line);
  const command = fix.find((each) => each.startsWith("tenon "))?.replaceAll("…", "A text") ?? "";
  return { code, command, err: (await house.run(...splitCommandLine(command).slice(1))).err };
}

test.each(FAILING.filter((line) => !NOT_CURED.includes(line)))(
  "the command that the fault of `tenon %s` names succeeds",
  async (line) => {
    using folder = temporaryRepository();
    using house = testHouse(folder.path);
    const { command, err } = await runFix(house, line);
    expect([command.slice(0, 6), err]).toEqual(["tenon ", ""]);
  },
);

test.each(MISSING_STEPS)("`tenon %s` gets further after the command that its fault names", async (line) => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path);
  const { code } = await runFix(house, line);
  expect((await readFault(house, line)).code).not.toBe(code);
});
