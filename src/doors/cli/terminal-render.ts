import type { OperationCall, Fault, SuggestedFix } from "#kernel/model/fault.ts";
import type { Page, PageQuotation, PageTable } from "#kernel/model/page.ts";
import { sanitizeText, escapeUnprintable, quoteShellWord } from "#kernel/model/text-format.ts";
import { CLI_COMMANDS } from "./command-table.ts";
import { toFlagName } from "./command-arguments.ts";
import type { TerminalIo } from "./command-types.ts";

type TerminalStyle = Pick<TerminalIo, "isTerminal" | "hasColour">;

/** Renders a page for a person: colour and aligned columns on a terminal, plain lines and tabs elsewhere. */
export function renderTerminalPage(page: Page, io: TerminalStyle): string {
  const blocks = [
    styleBold(sanitizeTerminalText(page.title), io),
    ...(page.facts?.length ? [renderTerminalFacts(page.facts, io)] : []),
    ...(page.table?.rows.length ? [renderTerminalTable(page.table, io)] : []),
    ...(page.quotes ?? []).map((each) => renderTerminalQuotation(each, io)),
    ...(page.points?.length
      ? [page.points.map((point) => `- ${sanitizeTerminalText(replaceToolsWithCommands(point))}`).join("\n")]
      : []),
    ...(page.guide ? [replaceGuideTools(page.guide)] : []),
    ...(page.next?.length ? [page.next.map((fix) => `next: ${renderTerminalFix(fix)}`).join("\n")] : []),
  ];
  return `${blocks.join("\n\n")}\n`;
}

export function renderTerminalFault(fault: Fault, io: TerminalStyle): string {
  const isInput = fault.code.startsWith("input.");
  const fixes = fault.fixes.map(
    (fix) => `try: ${renderTerminalFix(fix)}${isInput && typeof fix !== "string" && !fix.input ? " --help" : ""}`,
  );
  return [
    `${styleRed(`error[${fault.code}]:`, io)} ${sanitizeTerminalText(replaceToolsWithCommands(fault.message))}`,
    ...fixes,
    "",
  ].join("\n");
}

export function renderTerminalFix(fix: SuggestedFix): string {
  return typeof fix === "string" ? sanitizeTerminalText(fix) : renderCommandCall(fix);
}

/** With more blanks than this, a file of arguments is easier than flags. */
const MAX_BLANK_FLAGS = 2;

function renderCommandCall(call: OperationCall): string {
  const command = CLI_COMMANDS.find((candidate) => candidate.operation === call.operation);
  if (!command) return call.operation;
  const positionals = [...(command.positionals ?? [])];
  const given = Object.entries(call.input ?? {}).filter(([, value]) => value !== undefined && value !== false);
  const blanks = given.filter(([, value]) => value === "…").length;
  const told = blanks > MAX_BLANK_FLAGS ? given.filter(([, value]) => value !== "…") : given;
  const words = told.map(([field, value]) => {
    if (field === positionals[0] && !String(value).startsWith("-")) {
      positionals.shift();
      return quoteShellWord(String(value));
    }
    if (value === true) return `--${toFlagName(field)}`;
    if (field === command.fileFor && value === "…") return "--file <path>";
    return `--${toFlagName(field)} ${quoteShellWord(formatFlagWord(value))}`;
  });
  // A shell keeps quoted line breaks and tabs; every other control character is removed.
  const file = blanks > MAX_BLANK_FLAGS ? ["--input <path>"] : [];
  return ["tenon", command.path, ...words, ...file].join(" ").replace(/[^\n\t]+/g, escapeUnprintable);
}

const formatFlagWord = (value: unknown): string =>
  Array.isArray(value) && value.some((each) => typeof each === "object") ? JSON.stringify(value) : String(value);

function renderTerminalFacts(facts: NonNullable<Page["facts"]>, io: TerminalStyle): string {
  const width = Math.max(...facts.map(([label]) => label.length));
  return facts
    .map(
      ([label, value]) =>
        `${styleDim(`${label}:`.padEnd(io.isTerminal ? width + 1 : 0), io)} ${sanitizeTerminalText(value)}`,
    )
    .join("\n");
}

function renderTerminalQuotation({ label, text }: PageQuotation, io: TerminalStyle): string {
  const lines = text === "" ? [] : text.split(/\r?\n/).map((line) => `  ${sanitizeQuotedLine(line)}`.trimEnd());
  return [styleBold(sanitizeTerminalText(label), io), ...lines].join("\n");
}

const sanitizeQuotedLine = (line: string): string => line.replace(/[^\t]+/g, escapeUnprintable);

function renderTerminalTable({ columns, rows }: PageTable, io: TerminalStyle): string {
  const table = { columns, rows: rows.map((row) => row.map(sanitizeTerminalText)) };
  if (!io.isTerminal) return [table.columns, ...table.rows].map((row) => row.join("\t")).join("\n");
  const widths = table.columns.map((name, i) =>
    Math.max(name.length, ...table.rows.map((row) => measureTextWidth(row[i] ?? ""))),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell + " ".repeat(Math.max(0, (widths[i] ?? 0) - measureTextWidth(cell))))
      .join("  ")
      .trimEnd();
  return [styleDim(line(table.columns), io), ...table.rows.map(line)].join("\n");
}

const measureTextWidth = (text: string): number => Array.from(text).length;

/** Removes control characters from text of files and callers. Only a guide keeps its own lines. */
const sanitizeTerminalText = (text: string): string => sanitizeText(text, 4_000);

const createTextStyle =
  (open: number, close: number) =>
  (text: string, io: TerminalStyle): string =>
    io.hasColour ? `\u001b[${open}m${text}\u001b[${close}m` : text;

const styleBold = createTextStyle(1, 22);
const styleDim = createTextStyle(2, 22);
const styleRed = createTextStyle(31, 39);

/** Tools whose command has a different name. A law test compares this with the tool table. */
const IRREGULAR_TOOL_COMMANDS: Readonly<Record<string, string>> = {
  sdd_workspace_init: "init",
  sdd_workspace_validate: "validate",
  sdd_reverse_engineer: "adopt scan",
  sdd_bootstrap: "adopt",
  sdd_explore: "explore record",
  sdd_init_project: "project init",
  sdd_create_proposal: "project propose",
  sdd_generate_requirements: "project specify",
  sdd_create_business_rules: "project business-rules",
  sdd_clarify: "project clarify",
  sdd_create_design: "project design",
  sdd_create_tasks: "project tasks",
  sdd_validate: "project validate",
  sdd_get_context: "project context",
  sdd_change: "change start",
  sdd_workflow_stats: "stats",
  sdd_suggest_context: "context suggest",
  sdd_audit: "context audit",
  sdd_adr: "adr record",
};

export function findToolCommand(tool: string): string | undefined {
  const [, room, stem = ""] = /^(sdd|mem)_([a-z_]+)$/.exec(tool) ?? [];
  const path = room === "mem" ? `memory ${stem.replaceAll("_", "-")}` : stem.replaceAll("_", " ");
  return IRREGULAR_TOOL_COMMANDS[tool] ?? CLI_COMMANDS.find((command) => command.path === path)?.path;
}

/** Replaces tool names in a text by commands: `sdd_roadmap run` becomes `tenon roadmap run`. */
function replaceToolsWithCommands(text: string): string {
  return text.replaceAll(/\b(?:sdd|mem)_[a-z]+(?:_[a-z]+)*\b/g, (tool) => {
    const path = findToolCommand(tool);
    return path === undefined ? tool : `tenon ${path}`;
  });
}

/** In a guide only text in backticks is a call. */
export const replaceGuideTools = (guide: string): string =>
  guide.replaceAll(/`(?:sdd|mem)_[^`\n]+`/g, replaceToolsWithCommands);
