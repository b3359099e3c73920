import { type OperationCall, type Fault, type SuggestedFix } from "#domain/fault.ts";
import type { Page, PageQuotation, PageTable } from "#domain/page.ts";
import { sanitizeText, escapeUnprintable, quoteShellWord } from "#domain/quote.ts";
import { COMMANDS } from "./commands.ts";
import { flagOf } from "./argv.ts";
import type { Io } from "./io.ts";
import { guideInCommands, inCommands } from "./tool-names.ts";

type Dress = Pick<Io, "isTerminal" | "hasColour">;

/** Renders a page for a person: colour and aligned columns on a terminal, plain lines and tabs elsewhere. */
export function renderPage(page: Page, io: Dress): string {
  const blocks = [
    bold(safe(page.title), io),
    ...(page.facts?.length ? [renderFacts(page.facts, io)] : []),
    ...(page.table?.rows.length ? [renderTable(page.table, io)] : []),
    ...(page.quotes ?? []).map((each) => renderQuotation(each, io)),
    ...(page.points?.length ? [page.points.map((point) => `- ${safe(inCommands(point))}`).join("\n")] : []),
    ...(page.guide ? [guideInCommands(page.guide)] : []),
    ...(page.next?.length ? [page.next.map((fix) => `next: ${renderFix(fix)}`).join("\n")] : []),
  ];
  return `${blocks.join("\n\n")}\n`;
}

export function renderFault(fault: Fault, io: Dress): string {
  const isInput = fault.code.startsWith("input.");
  const fixes = fault.fixes.map(
    (fix) => `try: ${renderFix(fix)}${isInput && typeof fix !== "string" && !fix.input ? " --help" : ""}`,
  );
  return [`${red(`error[${fault.code}]:`, io)} ${safe(inCommands(fault.message))}`, ...fixes, ""].join("\n");
}

export function renderFix(fix: SuggestedFix): string {
  return typeof fix === "string" ? safe(fix) : renderCall(fix);
}

/** With more blanks than this, a file of arguments is easier than flags. */
const MOST_BLANKS = 2;

function renderCall(call: OperationCall): string {
  const command = COMMANDS.find((candidate) => candidate.operation === call.operation);
  if (!command) return call.operation;
  const positionals = [...(command.positionals ?? [])];
  const given = Object.entries(call.input ?? {}).filter(([, value]) => value !== undefined && value !== false);
  const blanks = given.filter(([, value]) => value === "…").length;
  const told = blanks > MOST_BLANKS ? given.filter(([, value]) => value !== "…") : given;
  const words = told.map(([field, value]) => {
    if (field === positionals[0] && !String(value).startsWith("-")) {
      positionals.shift();
      return quoteShellWord(String(value));
    }
    if (value === true) return `--${flagOf(field)}`;
    if (field === command.fileFor && value === "…") return "--file <path>";
    return `--${flagOf(field)} ${quoteShellWord(wordFor(value))}`;
  });
  // A shell keeps quoted line breaks and tabs; every other control character is removed.
  const file = blanks > MOST_BLANKS ? ["--input <path>"] : [];
  return ["tenon", command.path, ...words, ...file].join(" ").replace(/[^\n\t]+/g, escapeUnprintable);
}

const wordFor = (value: unknown): string =>
  Array.isArray(value) && value.some((each) => typeof each === "object") ? JSON.stringify(value) : String(value);

function renderFacts(facts: NonNullable<Page["facts"]>, io: Dress): string {
  const width = Math.max(...facts.map(([label]) => label.length));
  return facts
    .map(([label, value]) => `${dim(`${label}:`.padEnd(io.isTerminal ? width + 1 : 0), io)} ${safe(value)}`)
    .join("\n");
}

function renderQuotation({ label, text }: PageQuotation, io: Dress): string {
  const lines = text === "" ? [] : text.split(/\r?\n/).map((line) => `  ${shown(line)}`.trimEnd());
  return [bold(safe(label), io), ...lines].join("\n");
}

const shown = (line: string): string => line.replace(/[^\t]+/g, escapeUnprintable);

function renderTable({ columns, rows }: PageTable, io: Dress): string {
  const table = { columns, rows: rows.map((row) => row.map(safe)) };
  if (!io.isTerminal) return [table.columns, ...table.rows].map((row) => row.join("\t")).join("\n");
  const widths = table.columns.map((name, i) =>
    Math.max(name.length, ...table.rows.map((row) => widthOf(row[i] ?? ""))),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell + " ".repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell))))
      .join("  ")
      .trimEnd();
  return [dim(line(table.columns), io), ...table.rows.map(line)].join("\n");
}

const widthOf = (text: string): number => Array.from(text).length;

/** Removes control characters from text of files and callers. Only a guide keeps its own lines. */
const safe = (text: string): string => sanitizeText(text, 4_000);

const dress =
  (open: number, close: number) =>
  (text: string, io: Dress): string =>
    io.hasColour ? `\u001b[${open}m${text}\u001b[${close}m` : text;

const bold = dress(1, 22);
const dim = dress(2, 22);
const red = dress(31, 39);
