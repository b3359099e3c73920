import { execFileSync } from "node:child_process";
import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type OperationCall, Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import type { ToolSurface } from "../catalogue.ts";
import { parseCommandArguments } from "./command-arguments.ts";
import { CLI_COMMANDS, matchCommand } from "./command-table.ts";
import { renderTerminalFault, renderTerminalFix, renderTerminalPage } from "./terminal-render.ts";

const PIPE = { isTerminal: false, hasColour: false, width: 80 };
const TERMINAL = { isTerminal: true, hasColour: false, width: 80 };
const COLOUR = { isTerminal: true, hasColour: true, width: 80 };

const PAGE: Page = {
  title: "fix-login is at stage spec.",
  facts: [
    ["change", "fix-login (small fix, active)"],
    ["id", "sdd/changes/fix-login"],
  ],
  table: {
    columns: ["stage", "status", "artifact"],
    rows: [
      ["describe", "completed", "21 bytes"],
      ["修复", "in_progress", "–"],
      ["🚀", "pending", "–"],
    ],
  },
  points: ["spec is stale: The limit was misread", "another"],
  guide: "# Stage: spec\n\nSay it.",
  next: [{ operation: "change.advance", input: { change_id: "fix-login", content: "…" } }, "Sleep."],
};

test("renders a page for a pipe as plain lines and tabs", () => {
  expect(renderTerminalPage(PAGE, PIPE)).toMatchInlineSnapshot(`
    "fix-login is at stage spec.

    change: fix-login (small fix, active)
    id: sdd/changes/fix-login

    stage	status	artifact
    describe	completed	21 bytes
    修复	in_progress	–
    🚀	pending	–

    - spec is stale: The limit was misread
    - another

    # Stage: spec

    Say it.

    next: tenon change advance --change-id fix-login --file <path>
    next: Sleep.
    "
  `);
});

test("tells a person on a terminal to type what an agent would ask of them", () => {
  const page: Page = {
    title: "The gate does not pass.",
    points: ["tests: You have not trusted the commands. Ask the user to review them: tenon trust"],
    next: ["Ask the user to type: tenon trust"],
  };
  expect(renderTerminalPage(page, TERMINAL)).toContain(
    "- tests: You have not trusted the commands. Review them: tenon trust\n\nnext: tenon trust\n",
  );
  expect(renderTerminalPage(page, PIPE)).toContain("next: Ask the user to type: tenon trust\n");
});

test("renders a page for a terminal with aligned columns", () => {
  expect(renderTerminalPage(PAGE, TERMINAL)).toMatchInlineSnapshot(`
    "fix-login is at stage spec.

    change: fix-login (small fix, active)
    id:     sdd/changes/fix-login

    stage     status       artifact
    describe  completed    21 bytes
    修复      in_progress  –
    🚀        pending      –

    - spec is stale: The limit was misread
    - another

    # Stage: spec

    Say it.

    next: tenon change advance --change-id fix-login --file <path>
    next: Sleep.
    "
  `);
});

test("renders the same text in colour, with styled title, labels and columns", () => {
  const coloured = renderTerminalPage(PAGE, COLOUR);
  // oxlint-disable-next-line no-control-regex -- a colour is a control
  expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(renderTerminalPage(PAGE, TERMINAL));
  expect(coloured.split("\n").slice(0, 6)).toEqual([
    "\u001b[1mfix-login is at stage spec.\u001b[22m",
    "",
    "\u001b[2mchange:\u001b[22m fix-login (small fix, active)",
    "\u001b[2mid:    \u001b[22m sdd/changes/fix-login",
    "",
    "\u001b[2mstage     status       artifact\u001b[22m",
  ]);
});

test("colours passes green, failures red and warnings yellow, and no other word", () => {
  const rows = [
    ["ledger", "ok"],
    ["config", "fails"],
    ["tools", "unknown"],
    ["ok then", "in_progress"],
  ];
  const page = { title: "Checked.", table: { columns: ["check", "result"], rows }, points: ["warning: slow", "as ok"] };
  const lines = (outcome?: "passed" | "failed") => renderTerminalPage(page, COLOUR, outcome).split("\n");
  expect([lines()[0], lines("passed")[0], lines("failed")[0]]).toEqual([
    "\u001b[1mChecked.\u001b[22m",
    "\u001b[1m\u001b[32mChecked.\u001b[39m\u001b[22m",
    "\u001b[1m\u001b[31mChecked.\u001b[39m\u001b[22m",
  ]);
  expect(lines().slice(3)).toEqual([
    "ledger   \u001b[32mok\u001b[39m",
    "config   \u001b[31mfails\u001b[39m",
    "tools    \u001b[33munknown\u001b[39m",
    "ok then  in_progress",
    "",
    "- \u001b[33mwarning\u001b[39m: slow",
    "- as ok",
    "",
  ]);
});

test("shows commands in place of tool names, but not in quoted text", () => {
  const said = "`sdd_roadmap run` goes on; ask sdd_next, sdd_change_status or sdd_nothing_such";
  const page = { title: "T", quotes: [{ label: "Q", text: said }], points: [said], guide: `Do:\n\n${said}` };
  expect(
    renderTerminalPage(page, { ...TERMINAL, width: 100 })
      .split("\n")
      .filter((line) => line.includes("goes on")),
  ).toEqual([
    `  ${said}`,
    "- `tenon roadmap run` goes on; ask tenon next, tenon change status or sdd_nothing_such",
    "`tenon roadmap run` goes on; ask sdd_next, sdd_change_status or sdd_nothing_such",
  ]);
});

test("wraps every part of a page at the width of the terminal, except commands", () => {
  const page: Page = {
    title: "fix-login is at stage spec, and it waits for an approval.",
    facts: [["change", "fix-login, a small fix that is active since Monday"]],
    quotes: [
      { label: "sdd/requirements.md", text: "- FR-001: When a client sends GET, the system shall answer." },
      { label: "sdd/config.yaml", text: "commands: [npm test, npm run lint, npm run types]", isVerbatim: true },
    ],
    points: ["The spec is stale because the limit was misread."],
    guide: "Describe the limit and who needs it, in one paragraph.",
    next: [
      { operation: "change.advance", input: { change_id: "fix-login", content: "…" } },
      "Ask the user for approval before you go on.",
    ],
  };
  expect(renderTerminalPage(page, { ...TERMINAL, width: 40 })).toMatchInlineSnapshot(`
    "fix-login is at stage spec, and it waits
    for an approval.

    change: fix-login, a small fix that is
            active since Monday

    sdd/requirements.md
      - FR-001: When a client sends GET, the
        system shall answer.

    sdd/config.yaml
      commands: [npm test, npm run lint, npm run types]

    - The spec is stale because the limit
      was misread.

    Describe the limit and who needs it, in
    one paragraph.

    next: tenon change advance \\
              --change-id fix-login \\
              --file <path>
    next: Ask the user for approval before
          you go on.
    "
  `);
  expect(renderTerminalFault(FAULT, { ...TERMINAL, width: 40 })).toMatchInlineSnapshot(`
    "error[change.unknown]: Unknown change x.
      No folder has that name.
    try: tenon change list
    try: Look again.
    "
  `);
});

test("keeps tabs in a quotation and removes every other control character", () => {
  const quotes = [{ label: ".vscode/mcp.json", text: '\t"servers": {\r\n\t\t\u001b[2J' }];
  expect(renderTerminalPage({ title: "T", quotes }, TERMINAL)).toBe(
    'T\n\n.vscode/mcp.json\n  \t"servers": {\n  \t\t\\u001b[2J\n',
  );
});

test("renders a page with a title alone as one line", () => {
  expect(renderTerminalPage({ title: "Done.", facts: [], points: [], next: [] }, TERMINAL)).toBe("Done.\n");
});

test("keeps spaces at the beginning of a table line, and none at its end", () => {
  const rows = [
    ["long", ""],
    ["", "x"],
  ];
  expect(renderTerminalPage({ title: "T", table: { columns: ["a", "b"], rows } }, TERMINAL)).toBe(
    "T\n\na     b\nlong\n      x\n",
  );
});

test("leaves out a table without rows", () => {
  const table = { columns: ["a", "b"], rows: [] };
  expect([
    renderTerminalPage({ title: "T", table }, PIPE),
    renderTerminalPage({ title: "T", table }, TERMINAL),
  ]).toEqual(["T\n", "T\n"]);
});

const FAULT = new Fault("change.unknown", {
  what: "Unknown change x.",
  why: "No folder has that name.",
  fix: [{ operation: "change.list" }, "Look again."],
});

test.each([
  [
    "a pipe",
    PIPE,
    "error[change.unknown]: Unknown change x. No folder has that name.\ntry: tenon change list\ntry: Look again.\n",
  ],
  [
    "a coloured terminal",
    COLOUR,
    "\u001b[31merror[change.unknown]:\u001b[39m Unknown change x. No folder has that name.\ntry: tenon change list\ntry: Look again.\n",
  ],
])("renders a fault for %s", (_, io, text) => {
  expect(renderTerminalFault(FAULT, io)).toBe(text);
});

test.each([
  [{ operation: "change.start" }, "try: tenon change start --help"],
  [{ operation: "change.start", input: { type: "fix" } }, "try: tenon change start --type fix"],
  ["Say more.", "try: Say more."],
])("points to the help for an input fault whose cure is %j only without other advice", (fix, line) => {
  const fault = new Fault("input.invalid", { what: "No.", why: "type is missing.", fix });
  expect(renderTerminalFault(fault, PIPE)).toBe(`error[input.invalid]: No. type is missing.\n${line}\n`);
});

test.each<[OperationCall | string, string]>([
  ["Look again.", "Look again."],
  [{ operation: "change.list" }, "tenon change list"],
  [{ operation: "workspace.status" }, "tenon status"],
  [{ operation: "nothing.known", input: { a: 1 } }, "nothing.known"],
  [{ operation: "change.list", input: { status: "active", limit: 5 } }, "tenon change list --status active --limit 5"],
  [{ operation: "change.status", input: { change_id: "fix-login" } }, "tenon change status fix-login"],
  [
    { operation: "change.advance", input: { change_id: "fix-login", content: "…" } },
    "tenon change advance --change-id fix-login --file <path>",
  ],
  [{ operation: "change.advance", input: { content: "Say it" } }, 'tenon change advance --content "Say it"'],
  [{ operation: "change.advance", input: { keep: true, title: undefined } }, "tenon change advance --keep"],
  [{ operation: "change.advance", input: { keep: false } }, "tenon change advance"],
  [
    { operation: "adr.status", input: { adr: "ADR-0001", status: "superseded", superseded_by: "ADR-…" } },
    'tenon adr status ADR-0001 superseded --superseded-by "ADR-…"',
  ],
  [{ operation: "adr.status", input: { status: "superseded" } }, "tenon adr status --status superseded"],
  [
    { operation: "adr.status", input: { status: "superseded", adr: "ADR-0001" } },
    "tenon adr status ADR-0001 --status superseded",
  ],
  [{ operation: "adr.record", input: { title: "-x", standalone: true } }, "tenon adr record --title -x --standalone"],
  [
    { operation: "indexing.summarize", input: { answers: [{ key: "a.ts", hash: "1f", summary: "…" }] } },
    `tenon summarize --answers '[{"key":"a.ts","hash":"1f","summary":"…"}]'`,
  ],
  [{ operation: "change.abandon", input: { reason: "" } }, 'tenon change abandon --reason ""'],
  [
    { operation: "change.abandon", input: { reason: 'a "b" $c `d` \\e' } },
    'tenon change abandon --reason "a \\"b\\" \\$c \\`d\\` \\\\e"',
  ],
])("prints %j as %s", (fix, typed) => {
  expect(renderTerminalFix(fix)).toBe(typed);
});

/** What a shell hands to `tenon`, call by call. */
function shell(lines: readonly string[]): string[][] {
  const script = [`tenon() { printf '%s\\0' "$@"; printf '\\036'; }`, ...lines].join("\n");
  const calls = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\u001e").slice(0, -1);
  return calls.map((words) => words.split("\0").slice(0, -1));
}

function inputOf(words: readonly string[]): Record<string, unknown> {
  const match = matchCommand(words);
  if (!match) throw new Error(words.join(" "));
  const file = new URL(`../../../assets/surface/${match.command.operation}.json`, import.meta.url);
  const { inputSchema } = JSON.parse(fs.readFileSync(file, "utf8")) as ToolSurface;
  return parseCommandArguments(match.command, match.rest, inputSchema).input;
}

const value = fc.string({
  unit: fc.oneof(fc.constantFrom(...Array.from("-\"'$`\\!*?~#&|;<>(){}[]= \n\t…é🚀")), fc.stringMatching(/^[a-z0-9]$/)),
  maxLength: 12,
});
const call = fc
  .constantFrom(
    ["adr.status", ["adr", "status", "reason"]] as const,
    ["adr.record", ["title", "context", "decision"]] as const,
    ["change.abandon", ["change_id", "reason"]] as const,
    ["change.start", ["type", "size", "description"]] as const,
  )
  .chain(([operation, fields]) =>
    fc.shuffledSubarray([...fields]).chain((given) =>
      fc.tuple(...given.map(() => value)).map((values): OperationCall => ({
        operation,
        input: Object.fromEntries(given.map((name, i) => [name, values[i]])),
      })),
    ),
  );

test("prints a command that gives the same call in a shell", () => {
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 30 }), (calls) => {
      const typed = shell(calls.map(renderTerminalFix));
      expect(typed.map(inputOf)).toEqual(calls.map(({ input }) => input));
    }),
    { numRuns: 20 },
  );
});

test("quotes every sign that a shell would interpret", () => {
  const signs = Array.from({ length: 94 }, (_, i) => `a${String.fromCharCode(33 + i)}b`);
  const calls = signs.map((reason): OperationCall => ({ operation: "change.abandon", input: { reason } }));
  expect(shell(calls.map(renderTerminalFix)).map(inputOf)).toEqual(signs.map((reason) => ({ reason })));
});

test("parses every example in the help", () => {
  const examples = CLI_COMMANDS.flatMap((command) => command.examples);
  expect(shell(examples).map((words) => matchCommand(words)?.command.path)).toEqual(
    CLI_COMMANDS.flatMap((command) => command.examples.map(() => command.path)),
  );
  expect(shell(examples).map(inputOf).length).toBe(examples.length);
});
