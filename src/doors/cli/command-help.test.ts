import fs from "node:fs";
import { expect, test } from "vitest";
import type { OperationId, ToolSurface } from "../catalogue.ts";
import type { CliCommand } from "./command-types.ts";
import { CLI_COMMANDS } from "./command-table.ts";
import { formatFullHelp, formatCommandHelp, formatGroupHelp } from "./command-help.ts";

const asset = (path: string): string => fs.readFileSync(new URL(`../../../assets/${path}`, import.meta.url), "utf8");
const help = (operation: OperationId): string => {
  const command = CLI_COMMANDS.find((candidate) => candidate.operation === operation);
  const { inputSchema } = JSON.parse(asset(`surface/${operation}.json`)) as ToolSurface;
  return formatCommandHelp(command as CliCommand, inputSchema);
};

test("help for all", () => {
  expect(formatFullHelp(asset("cli/intro.md").trimEnd())).toMatchInlineSnapshot(`
    "Tenon makes AI coding agents build from specs: it keeps changes and decisions
    as files under sdd/, and checks each stage before the next one opens.

    Usage: tenon <command> [flags]

    Commands:
      status               Show what is under way in this workspace, or one feature of the roadmap
      init                 Make this repository a workspace; safe to repeat
      validate             Check all records and documents in one pass
      doctor               Check Node, git, SQLite, the ledger and every record, and say how to mend them
      ci                   Validate, verify receipts, look for drift and trace in one run; runs nothing of the repository
      setup                Connect your clients: server, rules, commands, hooks; without a name it lists what is here
      release-notes        Tell in Markdown what was finished, from records alone
      adopt                Draft requirements, business rules and design from the code; never overwrites
      import               Take over what Hoofy, spec-drive, sync-sdd, Spec Kit, OpenSpec, Kiro or cc-sdd left here
      feature              Begin a feature: discover, specify, implement, verify
      bugfix               Begin a bugfix: investigate, specify-fix, fix, verify
      research             Begin a timeboxed research: explore, synthesize, decide
      lock                 Claim files, release them, or list who holds what
      conflicts            Which files two workflows both hold, as JSON; exit code 1 if any
      stats                Show what became of the work, which gates fail, and how long things take
      roadmap              Plan features in waves, run them, stop, change the plan, or see where it stands
      next                 What the roadmap asks for now: roles to take, gates to run, questions, commits
      report               Say how an action ended; the engine looks for itself before it believes it
      design               Begin a feature of the roadmap from a description, or design one anew
      impl                 Build a feature that is designed: what is left of it, or certain tasks again
      review               Have a design, an implementation or dead code reviewed, or show the reviews so far
      steering             Say what all work follows: product, technology, structure and further topics
      handover             Say where the work stands, for who goes on with it
      decide               Record a decision, with its reason
      knowledge            Show what was learned, add to it, review what waits, and see what might become a skill
      gate                 Run the checks of the stage that is open, mend what a tool can, and leave a receipt
      evidence             See the new tests fail without the implementation, for the right reason, and pass with it
      bite                 Make the code of a spec wrong, one small way at a time, and see whether its tests notice
      verify               Check the receipts of passed gates: whole, of these files, and with --run still true
      stack                Show what the code is written in and which checks would run; runs nothing
      trust                Look at what this repository would run, and let it run; never for an agent to do
      index                Bring the index of the code, its tags, tests and documents up to date
      query                Ask about the code in plain words; the answer is at most a kilobyte
      summarize            Have code, specs and documents summed up in a line each, by a model you name or by hand
      feed                 Show the last commits with their files and the specs they name
      trace                Follow a requirement to its code and its tests, or a file back to what it serves
      drift                See which code is not what it was when it was accepted as what a requirement asks
      impact               See what a change to a symbol, a file or a requirement reaches: code, requirements, tests
      mcp                  Serve MCP over standard input and output
      queue <command>      What is under way, by the words scripts know: list, add, remove, prioritize
      demo                 See what Tenon promises, kept in a temporary repository in a minute; needs no model
      completion <shell>   Print the completion script for bash, zsh or fish
      merge-driver         Merge a file for git; set up by tenon init --merge-drivers
      hook <event>         Answer a hook of an agent's client; see tenon hook --help
      version              Print the version
      ci <command>         Files that let others run tenon ci: example
      adopt <command>      Specs for code that is there already: scan
      explore <command>    Before any work: record
      project <command>    Take a new project from idea to tasks: init, propose, specify, business-rules, clarify, design, …
      change <command>     Take a change through its stages: start, advance, status, list, reopen, resize, review, …
      workflow <command>   Several pieces of work side by side: advance, status, switch, prioritize, abandon, rollback, …
      review <command>     What is the user's alone to say of a review: waive
      knowledge <command>  What is the user's alone to make of what was learned: approve
      context <command>    See what is there already: check, suggest, audit
      spec <command>       Specs of features, bugs and research: validate
      adr <command>        Keep decisions: record, status, list
      memory <command>     What agents remember: save, search, context, get, session, timeline, update, …

    Every command on a workspace takes --json, --workspace <folder> and --help.
    "
  `);
});

test("help for a command with flags that only a command line has", () => {
  expect(help("gate.verify")).toMatchInlineSnapshot(`
    "Check the receipts of passed gates: whole, of these files, and with --run still true

    Usage:
      tenon verify [id] [flags]

    Flags:
      --id <text>           AUTH-001 or user-login; default: all
      --run                 Repeat the newest receipts' checks
      --strict              Findings refuse too; newest receipts must match
      --annotations         Print GitHub annotations too; default: where GITHUB_ACTIONS is true
      --junit <path>        Write what was found as JUnit XML, over whatever is there
      --input <path>        Read flags from a JSON object in a file; - is standard input
      --trust <hash>        Let what has this hash run, for this call; tenon trust shows it
      --workspace <folder>  The workspace; default: the nearest folder above with sdd/ or .git
      --json                Print the result as JSON

    Examples:
      tenon verify
      tenon verify AUTH-001 --strict
      tenon verify --run --junit verify.xml
    "
  `);
});

test("help for a group", () => {
  expect(formatGroupHelp("adr")).toMatchInlineSnapshot(`
    "tenon adr <command>

    Commands:
      adr record  Record an architecture decision
      adr status  Change the status of a decision
      adr list    List decisions, those inside changes too
    "
  `);
});

test("help for a command that takes a text from a file", () => {
  expect(help("change.advance")).toMatchInlineSnapshot(`
    "Keep the current stage's artifact and open the next stage

    Usage:
      tenon change advance [flags]

    Flags:
      --content <text>      Its markdown artifact
      --title <text>        If the artifact has no heading
      --keep                Instead of content: confirm a stale artifact
      --stage <describe|propose|scope|context-check|spec|clarify|design|tasks|verify>
                            Makes a repeated call safe
      --change-id <text>    Default: the only active change
      --file <path>         Read content from a file; - is standard input
      --input <path>        Read flags from a JSON object in a file; - is standard input
      --workspace <folder>  The workspace; default: the nearest folder above with sdd/ or .git
      --json                Print the result as JSON

    Examples:
      tenon change advance --file spec.md
      tenon change advance --content "Searching for nothing crashes." --title "Empty search"
      tenon change advance --keep
    "
  `);
});

test("help for a command with words that are required, and a flag too long for its column", () => {
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

test("help for a command with a number", () => {
  expect(help("change.list")).toMatchInlineSnapshot(`
    "List changes, archived ones too

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

test("help for a flag that takes several", () => {
  expect(help("workflow.lock")).toMatchInlineSnapshot(`
    "Claim files, release them, or list who holds what

    Usage:
      tenon lock <action> [paths] [flags]

    Flags:
      --action <claim|release|list>  (required)
      --paths <text>                 Paths, globs, folders with a trailing slash (several: commas, or repeat it)
      --id <text>                    Default: the current one
      --force                        Although others hold it
      --session <text>               Yours
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

test("a command without a schema has the flags that all have", () => {
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

test("a command that runs checks says how to vouch for them", () => {
  const [command] = CLI_COMMANDS;
  const lines = formatCommandHelp({ ...(command as CliCommand), runsChecks: true }, undefined).split("\n");
  expect(lines.filter((line) => line.includes("--trust"))).toEqual([
    "  --trust <hash>        Let what has this hash run, for this call; tenon trust shows it",
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
