import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLI_COMMANDS } from "#doors/cli/command-table.ts";
import { COMMAND_GROUPS } from "#doors/catalogue.ts";
import { isCommandLine, measureTextWidth } from "#doors/cli/text-wrap.ts";
import { CLI_LIFE, prepareCliLife } from "../kit/cli-life.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { tenon } from "../kit/process.ts";

/** Lines that are too long and could be broken: single words and text in backticks or quotes cannot. */
function listLongLines(text: string, width: number): string[] {
  let isCode = false;
  return text.split("\n").filter((line) => {
    if (line.startsWith("```")) isCode = !isCode;
    const words = line.replaceAll(/--[a-z-]+ '[^']*'|`[^`]*`|"[^"]*"/g, "word").trim();
    return measureTextWidth(line) > width && !isCode && words.includes(" ");
  });
}

/** These show diffs, commands, code or files, which keep their lines. */
const VERBATIM = /^(?:setup|stack [a-z]+|drift|summarize|ci example|release-notes|memory progress)\b/;

const terminal = (width: number) => ({ isTerminal: true, width, errorWidth: width });

test.each([80, 120])("fits the help of every command into %i columns", async (width) => {
  using folder = temporaryFolder();
  using house = testHouse(folder.path, {}, terminal(width));
  const utilities = ["mcp", "queue", "demo", "completion", "merge-driver", "hook"];
  const paths = [...CLI_COMMANDS.map(({ path }) => path), ...Object.keys(COMMAND_GROUPS), ...utilities];
  const helps = [["help"], ["--help", "--all"], [], ...paths.map((path) => [...path.split(" "), "--help"])];
  for (const words of helps) {
    const { out, err } = await house.run(...words);
    expect([words, err, listLongLines(out, width)]).toEqual([words, "", []]);
  }
});

test.each([80, 120])("fits the answers of every command into %i columns", async (width) => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  prepareCliLife(repository.path);
  using house = testHouse(repository.path, { dataFolder: home.path }, terminal(width));
  const unknown = [["statsu"], ["change", "status", "no-such-change"], ["trace", "lib/response.js"]];
  for (const words of [...CLI_LIFE, ...unknown]) {
    const { out, err } = await house.run(...words);
    const isVerbatim = VERBATIM.test(words.join(" "));
    const long = listLongLines(out + err, width).filter((line) => !isVerbatim || !line.startsWith("  "));
    expect([words, long]).toEqual([words, []]);
  }
});

test("wraps at 80 columns or COLUMNS in a pipe, and never wraps JSON", () => {
  using folder = temporaryFolder();
  const longest = (words: readonly string[], columns: string): number => {
    const { out } = tenon(words, { cwd: folder.path, env: { COLUMNS: columns } });
    return Math.max(...out.split("\n").map((line) => (isCommandLine(line) ? 0 : line.length)));
  };
  expect(longest(["gate", "--help"], "")).toBeLessThanOrEqual(80);
  expect(longest(["gate", "--help"], "0")).toBeLessThanOrEqual(80);
  expect(longest(["gate", "--help"], "60")).toBeLessThanOrEqual(60);
  const json = tenon(["ci", "example", "github", "--json"], { cwd: folder.path, env: { COLUMNS: "60" } });
  expect(json.out.split("\n")).toEqual([expect.stringMatching(/^.{500}/), ""]);
});

test("wraps the commands that trust and stack show", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const dependencies = { vitest: "1.0.0", "@vitest/coverage-v8": "1.0.0", typescript: "5.0.0" };
  const manifest = { name: "p", scripts: { test: "vitest run" }, devDependencies: dependencies };
  fs.writeFileSync(join(repository.path, "package.json"), JSON.stringify(manifest));
  fs.writeFileSync(join(repository.path, "sum.ts"), "export const sum = 1;\n");
  using house = testHouse(repository.path, { dataFolder: home.path }, terminal(80));
  await house.run("init");
  for (const command of ["trust", "stack"]) {
    const { out } = await house.run(command);
    expect(out).toContain("--coverage.reporter=json");
    expect(listLongLines(out, 80)).toEqual([]);
  }
});
