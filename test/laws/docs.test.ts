import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join, normalize } from "node:path";
import { expect, test } from "vitest";
import { loadCatalogueOperation, type ToolSurface } from "#doors/catalogue.ts";
import { parseCommandArguments } from "#doors/cli/command-arguments.ts";
import { matchCommand } from "#doors/cli/command-table.ts";

const read = (path: string): string => fs.readFileSync(path, "utf8");
const USER_PAGES = ["README.md", "docs/getting-started.md", ...listPages("docs/guide")];
const PAGES = ["README.md", "AGENTS.md", "CONTEXT.md", ...listPages("docs")];

function listPages(folder: string): string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => join(folder, name));
}

/** The anchors that GitHub gives the headings of a page. */
function listAnchors(page: string): string[] {
  return Array.from(read(page).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function isBrokenLink(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : normalize(join(page, "..", path));
  if (!fs.existsSync(target)) return true;
  return anchor !== undefined && target.endsWith(".md") && !listAnchors(target).includes(anchor);
}

test("every link between pages leads to an existing file and heading", () => {
  const broken = PAGES.flatMap((page) =>
    Array.from(
      read(page)
        .replaceAll(/^```[\s\S]*?^```/gm, "")
        .matchAll(/\]\(([^)\s]+)\)/g),
      ([, link = ""]) => link,
    )
      .filter((link) => !/^\w+:/.test(link) && isBrokenLink(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("pages for maintainers name only files that exist", () => {
  const pages = ["AGENTS.md", "REVIEW.md", "docs/architecture.md", "docs/voice.md", ...listPages("docs/design")];
  const missing = pages.flatMap((page) =>
    Array.from(read(page).matchAll(/`((?:src|test|assets|scripts|bench)\/[\w./-]+\.(?:ts|md|json|yaml))`/g)).flatMap(
      ([, path = ""]) => (fs.existsSync(path) ? [] : [`${page}: ${path}`]),
    ),
  );
  expect(missing).toEqual([]);
});

const HELP_TEXTS = new Map(
  read("docs/reference/commands.md")
    .split(/^## tenon /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section] as const),
);
const COMMAND_GROUPS = new Set(Array.from(HELP_TEXTS.keys(), (command) => command.split(" ")[0]));
for (const name of fs.readdirSync("assets/cli")) HELP_TEXTS.set(name.replace(".md", ""), read(`assets/cli/${name}`));
const COMMON_FLAGS = ["--help", "--version", "--json", "--input", "--workspace"];

/** Commands in the shell blocks and in the inline code of a page, each with continued lines joined. */
function listCommands(page: string): string[] {
  const text = read(page).replaceAll("\\\n", " ");
  const blocks = Array.from(text.matchAll(/^```(?:sh|console|bash)\n([\s\S]*?)^```/gm), ([, block = ""]) => block);
  const lines = blocks
    .flatMap((block) => block.split("\n"))
    .map((line) => line.replace(/^\$ /, "").split(" #")[0] ?? "");
  const inline = Array.from(text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`]+)`/g), ([, code = ""]) => code);
  return [...lines, ...inline].map((line) => line.trim()).filter((line) => line.startsWith("tenon "));
}

function listUnknownParts(command: string): string[] {
  const words = command
    .replaceAll(/"[^"]*"|'[^']*'/g, "…")
    .split(/\s+/)
    .slice(1);
  const names = words.filter((word) => !word.startsWith("--"));
  const isGroup = names.length === 0 || (names.length === 1 && COMMAND_GROUPS.has(names[0]));
  const help =
    HELP_TEXTS.get(names.slice(0, 2).join(" ")) ?? HELP_TEXTS.get(names[0] ?? "") ?? (isGroup ? "" : undefined);
  if (help === undefined) return [command];
  const flags = words.filter((word) => /^--\w/.test(word)).map((word) => word.split("=")[0] ?? "");
  return flags
    .filter((flag) => !COMMON_FLAGS.includes(flag) && !help.includes(flag))
    .map((flag) => `${command}: ${flag}`);
}

test.each(USER_PAGES)("%s shows only commands and flags that exist", (page) => {
  expect(listCommands(page).flatMap(listUnknownParts)).toEqual([]);
});

test("the index links to every page, and there are at most 20 guides", () => {
  const index = read("docs/README.md");
  const own = fs.readdirSync("docs").filter((name) => name.endsWith(".md") && name !== "README.md");
  const pages = [...own, ...[...listPages("docs/design"), ...listPages("docs/guide")].map((path) => path.slice(5))];
  expect(pages.filter((path) => !index.includes(`(${path})`))).toEqual([]);
  expect(listPages("docs/guide").length).toBeLessThanOrEqual(20);
});

test("the README has at most 1,000 words and the test commands that CI runs", () => {
  const readme = read("README.md");
  expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(1000);
  for (const command of ["scripts/install-fixture-tools", "npm test", "npm run test:all"]) {
    expect(read(".ci/run")).toContain(`\n${command}\n`);
    expect(readme).toContain(command);
  }
});

/** Lines that start with `tenon` in the shell blocks of a page, without redirections and placeholders. */
const listShellCommands = (text: string): string[] =>
  Array.from(text.matchAll(/^```sh\n([^]*?)^```/gm))
    .flatMap(([, block = ""]) => block.replaceAll(/\\\n\s*/g, "").split("\n"))
    .filter((line) => /^tenon (?!mcp|ui|completion|merge-driver|demo|hook|queue)/.test(line) && !/<[\w-]+>/.test(line))
    .map((line) => line.replace(/ >>? \S+$/, ""));

function splitShellWords(lines: readonly string[]): string[][] {
  const script = [`tenon() { printf '%s\\0' "$@"; printf '\\036'; }`, ...lines].join("\n");
  const calls = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\u001e").slice(0, -1);
  return calls.map((words) => words.split("\0").slice(0, -1));
}

/** The reason why the command line would be rejected as wrong usage. */
async function findUsageError(words: readonly string[]): Promise<string | undefined> {
  const match = matchCommand(words);
  if (!match) return "unknown command";
  const { operation, fileFor } = match.command;
  const { inputSchema } = JSON.parse(read(`assets/surface/${operation}.json`)) as ToolSurface;
  try {
    const parsed = parseCommandArguments(match.command, match.rest, inputSchema);
    if (parsed.inputFile !== undefined) return undefined;
    const schema = await (await loadCatalogueOperation(operation)).input?.();
    const input = parsed.file !== undefined && fileFor ? { ...parsed.input, [fileFor]: "Text" } : parsed.input;
    return schema?.safeParse(input).error?.message;
  } catch (error) {
    return String((error as { why?: string }).why ?? error);
  }
}

test.each(USER_PAGES)("the command line accepts every command that %s shows", async (page) => {
  const lines = listShellCommands(read(page));
  const calls = splitShellWords(lines);
  expect(calls.length).toBe(lines.length);
  const errors = await Promise.all(calls.map(findUsageError));
  expect(lines.flatMap((line, i) => (errors[i] === undefined ? [] : [`${line}: ${errors[i]}`]))).toEqual([]);
});
