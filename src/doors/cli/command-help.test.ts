import fs from "node:fs";
import { expect, test } from "vitest";
import type { OperationId, ToolSurface } from "../catalogue.ts";
import type { CliCommand } from "./command-table.ts";
import { CLI_COMMANDS } from "./command-table.ts";
import { formatFullHelp, formatCommandHelp, formatGroupHelp } from "./command-help.ts";

const UTILITIES = ["mcp", "ui", "queue", "demo", "completion", "merge-driver", "hook", "version"];
const asset = (path: string): string => fs.readFileSync(new URL(`../../../assets/${path}`, import.meta.url), "utf8");
const help = (operation: OperationId): string => {
  const command = CLI_COMMANDS.find((candidate) => candidate.operation === operation);
  const { inputSchema } = JSON.parse(asset(`surface/${operation}.json`)) as ToolSurface;
  return formatCommandHelp(command as CliCommand, inputSchema);
};

test("lists commands by job, each name once, and plumbing only on request", () => {
  const intro = asset("cli/intro.md");
  const listNames = (text: string): string[] => [...text.matchAll(/^  (\S+)  /gm)].map(([, name = ""]) => name);
  const all = listNames(formatFullHelp(intro, true));
  const known = new Set([...CLI_COMMANDS.map(({ path }) => path.split(" ")[0]), ...UTILITIES]);
  expect(all.toSorted()).toEqual([...known].map(String).toSorted());
  const short = formatFullHelp(intro);
  expect(short.match(/^[A-Z]\w+:$/gm)).toEqual(["Start:", "Plan:", "Build:", "Check:", "Understand:", "Team:"]);
  expect(short).toContain("\ntenon --help --all also lists commands for scripts and clients.");
  expect(formatFullHelp(intro, true)).toContain("\nPlumbing:\n");
  expect(all.filter((name) => !listNames(short).includes(name))).toEqual([
    "conflicts",
    "brief",
    "summarize",
    "mcp",
    "queue",
    "completion",
    "merge-driver",
    "hook",
    "version",
  ]);
});

test("prints help for a command with flags of the command line alone", () => {
  expect(help("gate.verify")).toMatchInlineSnapshot(`
    "Check that receipts are unaltered and match your files; --run repeats their checks

    Usage:
      tenon verify [id] [flags]

    Flags:
      --id <text>           AUTH-001 or user-login; default: all
      --run                 Repeat the newest receipts' checks
      --strict              Findings fail too; newest receipts must match
      --annotations         Print GitHub annotations too; default if GITHUB_ACTIONS is true
      --junit <path>        Write the results to this file as JUnit XML
      --input <path>        Read flags from a JSON object in a file; - is standard input
      --trust <hash>        Trust the commands with this hash for this call; tenon trust shows it
      --workspace <folder>  The workspace; default: the nearest folder above with sdd/ or .git
      --json                Print the result as JSON

    Examples:
      tenon verify
      tenon verify AUTH-001 --strict
      tenon verify --run --junit verify.xml
    "
  `);
});

test("prints help for a group", () => {
  expect(formatGroupHelp("adr")).toMatchInlineSnapshot(`
    "tenon adr <command>

    Commands:
      adr record  Record an architecture decision
      adr status  Change the status of a decision
      adr list    List decisions, including those inside changes
    "
  `);
});

test("prints help for a command that takes a text from a file", () => {
  expect(help("change.advance")).toMatchInlineSnapshot(`
    "Save the current stage's artifact and open the next stage

    Usage:
      tenon change advance [flags]

    Flags:
      --content <text>        Its markdown; default: its file
      --title <text>          If the artifact has no heading
      --keep                  Instead of content: confirm a stale artifact
      --stage <text>          Makes a repeated call safe
      --tests-removed <json>  Removed tests, or their file [{test, reason}]
      --no-code <text>        Why no file changed
      --change-id <text>      Default: the only one
      --file <path>           Read content from a file; - is standard input
      --input <path>          Read flags from a JSON object in a file; - is standard input
      --workspace <folder>    The workspace; default: the nearest folder above with sdd/ or .git
      --json                  Print the result as JSON

    Examples:
      tenon change advance --file spec.md
      tenon change advance --content "Searching for nothing crashes." --title "Empty search"
      tenon change advance --keep
    "
  `);
});

test("prints help for a command with required words and a flag too long for its column", () => {
  expect(help("adr.status")).toMatchInlineSnapshot(`
    "Change the status of a decision

    Usage:
      tenon adr status <adr> <status> [flags]

    Flags:
      --adr <text>            ADR-0001, or <change>/ADR-001 (required)
      --status <proposed|accepted|deprecated|superseded>
                              (required)
      --reason <text>         Why
      --superseded-by <text>  Required with status superseded
      --input <path>          Read flags from a JSON object in a file; - is standard input
      --workspace <folder>    The workspace; default: the nearest folder above with sdd/ or .git
      --json                  Print the result as JSON

    Examples:
      tenon adr status ADR-0001 deprecated --reason "The service is gone"
      tenon adr status fix-the-empty-search/ADR-001 superseded --superseded-by ADR-0002
    "
  `);
});

test("prints help for a command with a number", () => {
  expect(help("change.list")).toMatchInlineSnapshot(`
    "List changes, including archived ones

    Usage:
      tenon change list [flags]

    Flags:
      --status <active|completed|abandoned|archived>
      --limit <n>           Newest first; default 50
      --input <path>        Read flags from a JSON object in a file; - is standard input
      --workspace <folder>  The workspace; default: the nearest folder above with sdd/ or .git
      --json                Print the result as JSON

    Examples:
      tenon change list
      tenon change list --status archived
    "
  `);
});

test("prints help for a flag that takes several values", () => {
  expect(help("workflow.lock")).toMatchInlineSnapshot(`
    "Claim or release files, or list all locks

    Usage:
      tenon lock <action> [paths] [flags]

    Flags:
      --action <claim|release|list>  (required)
      --paths <text>                 Paths, globs, folders with a trailing slash (several: commas, or repeat it)
      --id <text>                    Default: current
      --force                        Override others' locks
      --session <text>               The agent session to act for
      --input <path>                 Read flags from a JSON object in a file; - is standard input
      --workspace <folder>           The workspace; default: the nearest folder above with sdd/ or .git
      --json                         Print the result as JSON

    Examples:
      tenon lock list
      tenon lock claim src/login.ts src/auth/
      tenon lock release src/login.ts
    "
  `);
});

test("lists the common flags for a command without a schema", () => {
  const command: CliCommand = { path: "x", operation: "workspace.status", summary: "Do x", examples: ["tenon x"] };
  expect(formatCommandHelp(command, undefined)).toMatchInlineSnapshot(`
    "Do x

    Usage:
      tenon x [flags]

    Flags:
      --workspace <folder>  The workspace; default: the nearest folder above with sdd/ or .git
      --json                Print the result as JSON

    Examples:
      tenon x
    "
  `);
});

test("explains --trust in the help of a command that runs checks", () => {
  const [command] = CLI_COMMANDS;
  const lines = formatCommandHelp({ ...(command as CliCommand), runsChecks: true }, undefined).split("\n");
  expect(lines.filter((line) => line.includes("--trust"))).toEqual([
    "  --trust <hash>        Trust the commands with this hash for this call; tenon trust shows it",
  ]);
});

test("no line of help ends in spaces or is wider than 120 characters, examples apart", () => {
  const pages = [
    formatFullHelp("x"),
    ...["change", "adr"].map(formatGroupHelp),
    ...CLI_COMMANDS.map((c) => help(c.operation)),
  ];
  const lines = pages.flatMap((page) => page.split("\n")).filter((line) => !line.startsWith("  tenon "));
  expect(lines.filter((line) => line !== line.trimEnd() || line.length > 120)).toEqual([]);
});
