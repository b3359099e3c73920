import type { OperationCall, Fault, SuggestedFix } from "#kernel/model/fault.ts";
import { joinPageBlock, type Page, type PageQuotation, type PageTable } from "#kernel/model/page.ts";
import { sanitizeText, escapeUnprintable, quoteShellWord } from "#kernel/model/text-format.ts";
import { CLI_COMMANDS, type TerminalIo } from "./command-table.ts";
import { toFlagName } from "./command-arguments.ts";
import { renderAlignedTable } from "./terminal-table.ts";
import { isCommandLine, wrapCommandLine, wrapLine, wrapMarkdown } from "./text-wrap.ts";

type TerminalStyle = Pick<TerminalIo, "isTerminal" | "hasColour" | "width">;

/** Colour and aligned columns on a terminal, plain lines and tabs elsewhere. Code and commands do not wrap. */
export function renderTerminalPage(page: Page, io: TerminalStyle, outcome?: TerminalOutcome): string {
  const { title, facts = [], table, quotes = [], points = [], guide, next = [] } = page;
  const width = Math.max(...facts.map(([label]) => label.length));
  const blocks = [
    styleBold(styleOutcome(wrapLine(sanitizeTerminalText(replaceToolsWithCommands(title)), io.width), outcome, io), io),
    ...joinPageBlock(facts.map(([label, value]) => renderTerminalFact(label, value, width, io))),
    ...(table?.rows.length ? [renderTerminalTable(table, io)] : []),
    ...quotes.map((each) => renderTerminalQuotation(each, io)),
    ...joinPageBlock(
      points.map((point) => {
        const text = addressReader(sanitizeTerminalText(replaceToolsWithCommands(point)), io);
        const line = wrapLine(`- ${text}`, io.width, "  ");
        return line.replace(/(?<=^- )(?:warning|error)\b/i, (word) => styleStatusWord(word, io));
      }),
    ),
    ...(guide ? [page.isGuideVerbatim ? guide : wrapMarkdown(replaceGuideTools(guide), io.width)] : []),
    ...joinPageBlock(
      next.map((fix) => wrapSuggestedFix("next: ", addressReader(renderTerminalFix(fix), io), io.width)),
    ),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** On a terminal the reader is the user whom an agent would ask. */
const addressReader = (text: string, { isTerminal }: TerminalStyle): string =>
  isTerminal
    ? text.replace(/\bAsk the user to (type: |review them: )(?=tenon )/, (_, verb) =>
        verb === "type: " ? "" : "Review them: ",
      )
    : text;

/** Faults after which the same call may succeed. */
const RETRIED_FAULTS = /^(?:store|call|git)\./;

/** The commands that fix a fault, never the one that just failed. */
export function renderFaultFixes({ code, fixes }: Fault, failed?: string): string[] {
  const isInput = code.startsWith("input.");
  const lines = fixes.map((fix) => {
    if (!isInput || typeof fix === "string" || fix.input) return renderTerminalFix(fix);
    const { operation, sample: input = {} } = fix;
    const blanks = Object.values(input).filter((value) => value === "…").length;
    const isShort = Object.keys(input).length > 0 && blanks <= MAX_BLANK_FLAGS;
    return isShort ? renderTerminalFix({ operation, input }) : `${renderTerminalFix(fix)} --help`;
  });
  if (failed === undefined || RETRIED_FAULTS.test(code)) return lines;
  return lines.map((line) => (line === failed ? `${line} --help` : line));
}

export function renderTerminalFault(fault: Fault, io: TerminalStyle, failed?: string): string {
  const fixes = renderFaultFixes(fault, failed).map(
    (line) => `${wrapSuggestedFix("try: ", addressReader(line, io), io.width)}\n`,
  );
  const head = `error[${fault.code}]:`;
  const message = wrapLine(`${head} ${sanitizeTerminalText(replaceToolsWithCommands(fault.message))}`, io.width, "  ");
  return `${styleOutcome(head, "failed", io)}${message.slice(head.length)}\n${fixes.join("")}`;
}

const wrapSuggestedFix = (lead: string, text: string, width: number): string =>
  (isCommandLine(text) ? wrapCommandLine : wrapLine)(`${lead}${text}`, width, " ".repeat(lead.length));

export const renderTerminalFix = (fix: SuggestedFix): string =>
  typeof fix === "string" ? sanitizeTerminalText(fix) : renderCommandCall(fix);

/** With more blanks than this, a file of arguments is easier than flags. */
const MAX_BLANK_FLAGS = 2;

function renderCommandCall(call: OperationCall): string {
  const command = CLI_COMMANDS.find((candidate) => candidate.operation === call.operation);
  if (!command) return call.operation;
  const positionals = [...(command.positionals ?? [])];
  const given = Object.entries(call.input ?? {}).filter(([, value]) => value !== undefined && value !== false);
  const blanks = given.filter(([, value]) => value === "…").length;
  const told = blanks > MAX_BLANK_FLAGS ? given.filter(([, value]) => value !== "…") : given;
  const leading: string[] = [];
  const flags = told.flatMap(([field, value]) => {
    if (field === positionals[0] && !String(value).startsWith("-")) {
      positionals.shift();
      leading.push(quoteShellWord(String(value)));
      return [];
    }
    if (value === true) return `--${toFlagName(field)}`;
    if (field === command.fileFor && value === "…") return "--file <path>";
    const isJson = Array.isArray(value) && value.some((each) => typeof each === "object");
    return `--${toFlagName(field)} ${isJson ? quoteJson(JSON.stringify(value)) : quoteShellWord(String(value))}`;
  });
  // A shell keeps quoted line breaks and tabs; every other control character is removed.
  const file = blanks > MAX_BLANK_FLAGS ? ["--input <path>"] : [];
  return ["tenon", command.path, ...leading, ...flags, ...file].join(" ").replace(/[^\n\t]+/g, escapeUnprintable);
}

/** JSON is readable in single quotes, without escapes. */
const quoteJson = (json: string): string => (json.includes("'") ? quoteShellWord(json) : `'${json}'`);

/** Values line up below each other up to this width of label. */
const MAX_LABEL_WIDTH = 30;

function renderTerminalFact(label: string, value: string, width: number, io: TerminalStyle): string {
  // A value without a break, such as a hash, stays on the line of its label.
  const longest = Math.max(...value.split(" ").map((word) => word.length));
  const isAligned = io.isTerminal && width <= MAX_LABEL_WIDTH && width + 2 + longest <= io.width;
  const head = `${label}:`.padEnd(isAligned ? width + 1 : 0);
  const hang = isAligned ? width + 2 : 2;
  const line = wrapLine(`${head} ${sanitizeTerminalText(value)}`, io.width, " ".repeat(hang));
  return `${styleDim(head, io)}${line.slice(head.length)}`;
}

function renderTerminalQuotation(quotation: PageQuotation, io: TerminalStyle): string {
  const { label, isVerbatim } = quotation;
  const text = quotation.namesCalls ? replaceToolsWithCommands(quotation.text) : quotation.text;
  const lines = text === "" ? [] : text.split(/\r?\n/).map((line) => line.replace(/[^\t]+/g, escapeUnprintable));
  const quoted = lines.map((line) => `  ${line}`.trimEnd());
  const hangOf = (line: string): string => `${/^\s*/.exec(line)?.[0] ?? ""}  `;
  return [
    styleBold(wrapLine(sanitizeTerminalText(label), io.width), io),
    ...(isVerbatim ? quoted : quoted.map((line) => wrapLine(line, io.width, hangOf(line)))),
  ].join("\n");
}

function renderTerminalTable({ columns, rows }: PageTable, io: TerminalStyle): string {
  const table = { columns, rows: rows.map((row) => row.map(sanitizeTerminalText)) };
  if (!io.isTerminal) return [table.columns, ...table.rows].map((row) => row.join("\t")).join("\n");
  return renderAlignedTable(table, {
    width: io.width,
    head: (text) => styleDim(text, io),
    cell: (text) => styleStatusWord(text, io),
  });
}

/** Removes control characters from text of files and callers. Only a guide keeps its own lines. */
const sanitizeTerminalText = (text: string): string => sanitizeText(text, 4_000);

const styleText = (open: number, close: number, text: string, io: TerminalStyle): string =>
  io.hasColour ? `\u001b[${open}m${text}\u001b[${close}m` : text;
export const styleBold = (text: string, io: TerminalStyle): string => styleText(1, 22, text, io);
const styleDim = (text: string, io: TerminalStyle): string => styleText(2, 22, text, io);

export type TerminalOutcome = "passed" | "failed" | "warning";

const OUTCOME_COLOURS = { passed: 32, failed: 31, warning: 33 } as const;

const OUTCOME_WORDS: Readonly<Record<TerminalOutcome, RegExp>> = {
  passed: /^(?:ok|pass(?:es|ed)?|completed|done|valid|intact)$/i,
  failed: /^(?:errors?|fail(?:s|ed)?|missing|damaged|wrong|altered|lost|refused|rejected)$/i,
  warning: /^(?:warnings?|unknown|stale|waived|skipped)$/i,
};

const styleOutcome = (text: string, outcome: TerminalOutcome | undefined, io: TerminalStyle): string =>
  outcome ? styleText(OUTCOME_COLOURS[outcome], 39, text, io) : text;

function styleStatusWord(text: string, io: TerminalStyle): string {
  const outcomes = ["passed", "failed", "warning"] as const;
  const outcome = outcomes.find((each) => OUTCOME_WORDS[each].test(text.trim()));
  return styleOutcome(text, outcome, io);
}

export const findToolCommand = (tool: string): string | undefined =>
  CLI_COMMANDS.find((command) => command.tool === tool)?.path;

/** Replaces tool names in a text by commands: `sdd_roadmap run` becomes `tenon roadmap run`. */
function replaceToolsWithCommands(text: string): string {
  return text.replaceAll(/\b(?:sdd|mem)_[a-z]+(?:_[a-z]+)*\b/g, (tool) => {
    const path = findToolCommand(tool);
    return path === undefined ? tool : `tenon ${path}`;
  });
}

/** In a guide only text in backticks is a call. */
export const replaceGuideTools = (guide: string): string =>
  guide
    .replaceAll(/`(\w+) (\{"[^`\n]*\})`/g, (call: string, tool: string, input: string) => {
      const operation = CLI_COMMANDS.find((command) => command.tool === tool)?.operation;
      return operation ? `\`${renderCommandCall({ operation, input: JSON.parse(input) })}\`` : call;
    })
    .replaceAll(/`(?:sdd|mem)_[^`\n]+`/g, replaceToolsWithCommands);
