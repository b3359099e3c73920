export function detectNewline(text: string): "\r\n" | "\n" {
  const all = text.split("\n").length - 1;
  const wide = text.split("\r\n").length - 1;
  return wide > all / 2 ? "\r\n" : "\n";
}

export const convertNewlines = (text: string, newline: string): string => text.replaceAll(/\r?\n/g, newline);

/** Separators added around an insertion, so that its removal restores the text to the byte. */
export interface InsertionSeparators {
  readonly lead: string;
  readonly tail: string;
}

export interface InsertionResult {
  readonly text: string;
  readonly seam: InsertionSeparators;
}

/** Appends lines after a blank line. */
function appendLines(text: string, lines: string): InsertionResult {
  const newline = detectNewline(text);
  const isEmpty = text.replace(/^\uFEFF/, "") === "";
  const lead = isEmpty ? "" : text.endsWith("\n") ? newline : `${newline}${newline}`;
  return { text: `${text}${lead}${convertNewlines(lines, newline)}`, seam: { lead, tail: "" } };
}

/** Removes whole lines. Text added behind them keeps its own line. */
function removeInsertedLines(text: string, start: number, end: number, seam: InsertionSeparators | undefined): string {
  const lead = seam?.lead ?? "";
  const from = text.slice(0, start).endsWith(lead) ? start - lead.length : start;
  const [before, after] = [text.slice(0, from), text.slice(end)];
  const isOpen = before.replace(/^\uFEFF/, "") !== "" && !before.endsWith("\n");
  const isLeft = after !== "" && !/^\r?\n/.test(after);
  return isOpen && isLeft ? `${before}${detectNewline(text)}${after}` : `${before}${after}`;
}

const SETUP_BLOCK_BEGIN = "<!-- tenon:begin: tenon setup keeps this part up to date until you edit it -->";
const SETUP_BLOCK_END = "<!-- tenon:end -->";
const SETUP_BLOCK_MARKS = /(?<=^\uFEFF?)<!-- tenon:(begin|end)\b[^\r\n]*-->[ \t]*$/gm;

interface MarkedBlock {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function findMarkedBlock(text: string): MarkedBlock | undefined {
  const marks = [...text.matchAll(SETUP_BLOCK_MARKS)];
  const [begin, end] = marks;
  if (marks.length !== 2 || begin?.[1] !== "begin" || end?.[1] !== "end") return undefined;
  const inner = text.slice(begin.index + begin[0].length, end.index);
  const close = end.index + end[0].length;
  const newline = /^\r?\n/.exec(text.slice(close))?.[0] ?? "";
  return { text: convertNewlines(inner, "\n").trim(), start: begin.index, end: close + newline.length };
}

export const hasBlockMark = (text: string): boolean => text.search(SETUP_BLOCK_MARKS) >= 0;

const frameBlockText = (text: string): string => `${SETUP_BLOCK_BEGIN}\n${text.trim()}\n${SETUP_BLOCK_END}`;

export const addMarkedBlock = (text: string, block: string): InsertionResult =>
  appendLines(text, `${frameBlockText(block)}\n`);

export function replaceMarkedBlock(text: string, block: string): string {
  const found = findMarkedBlock(text);
  if (!found) return text;
  const newline = detectNewline(text);
  const end = text.slice(found.start, found.end).endsWith("\n") ? newline : "";
  return `${text.slice(0, found.start)}${convertNewlines(frameBlockText(block), newline)}${end}${text.slice(found.end)}`;
}

export function removeMarkedBlock(text: string, seam: InsertionSeparators | undefined): string {
  const found = findMarkedBlock(text);
  return found ? removeInsertedLines(text, found.start, found.end, seam) : text;
}

interface TomlTable {
  readonly way: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Delimiters of strings; the long ones may span lines. */
const TOML_STRING_DELIMITERS = ['"""', "'''", '"', "'"] as const;

export function listTomlTables(text: string): TomlTable[] {
  const lines = splitTomlLines(text);
  const headers = lines.flatMap((line, index) => {
    const way = line.isOpen ? undefined : parseTomlHeader(line.text);
    return way ? [{ way, index }] : [];
  });
  return headers.map(({ way, index }, i) => {
    const until = headers[i + 1]?.index ?? lines.length;
    // Blank lines and comments at the end belong to the next table.
    const body = lines.slice(index, until);
    const last = body.findLastIndex((line) => line.isOpen || !/^\s*(?:#.*)?$/.test(line.text));
    return { way, start: body[0]?.start ?? 0, end: body[Math.max(last, 0)]?.end ?? text.length };
  });
}

/** The table; undefined if it has subtables. */
export function findTomlTable(
  text: string,
  way: readonly string[],
): { text: string; start: number; end: number } | undefined {
  const tables = listTomlTables(text);
  const isWithin = (table: TomlTable): boolean => way.every((key, i) => table.way[i] === key);
  const found = tables.filter(isWithin);
  const [table] = found;
  if (found.length !== 1 || !table || table.way.length !== way.length) return undefined;
  return { text: convertNewlines(text.slice(table.start, table.end), "\n").trim(), start: table.start, end: table.end };
}

export const addTomlTable = (text: string, table: string): InsertionResult => appendLines(text, `${table}\n`);

export function replaceTomlTable(text: string, way: readonly string[], table: string): string {
  const found = findTomlTable(text, way);
  if (!found) return text;
  const newline = detectNewline(text);
  const end = text.slice(found.start, found.end).endsWith("\n") ? newline : "";
  return `${text.slice(0, found.start)}${convertNewlines(table, newline)}${end}${text.slice(found.end)}`;
}

export function removeTomlTable(text: string, way: readonly string[], seam: InsertionSeparators | undefined): string {
  const found = findTomlTable(text, way);
  return found ? removeInsertedLines(text, found.start, found.end, seam) : text;
}

interface TomlLine {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether it begins inside a string or a list of an earlier line. */
  readonly isOpen: boolean;
}

function splitTomlLines(text: string): TomlLine[] {
  const lines: TomlLine[] = [];
  let [start, depth] = [0, 0];
  let open: string | undefined;
  for (const each of text.split(/(?<=\n)/)) {
    const line = { text: each.replace(/^\uFEFF/, "").trimEnd(), start, end: start + each.length };
    const isOpen = open !== undefined || depth > 0;
    lines.push({ ...line, isOpen });
    start += each.length;
    if (!isOpen && parseTomlHeader(line.text)) continue;
    [open, depth] = scanTomlLine(each, open, depth);
  }
  return lines;
}

/** The string and the bracket depth that a line leaves open. */
function scanTomlLine(line: string, within: string | undefined, deep: number): [string | undefined, number] {
  let [open, depth] = [within, deep];
  for (let i = 0; i < line.length;) {
    if (open !== undefined) {
      if (line[i] === "\\" && open.startsWith('"')) i += 2;
      else if (line.startsWith(open, i)) {
        i += open.length;
        // A long string may end with up to two more quotes.
        while (open.length === 3 && line[i] === open[0]) i++;
        open = undefined;
      } else i++;
      continue;
    }
    if (line[i] === "#") break;
    const begun = TOML_STRING_DELIMITERS.find((quote) => line.startsWith(quote, i));
    if (begun) open = begun;
    else if (line[i] === "[" || line[i] === "{") depth++;
    else if (line[i] === "]" || line[i] === "}") depth--;
    i += begun?.length ?? 1;
  }
  return [open !== undefined && open.length === 3 ? open : undefined, depth];
}

const TOML_KEY = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*/y;

/** The keys of a header such as `[mcp_servers."a.b"]`; undefined for other lines. */
function parseTomlHeader(line: string): string[] | undefined {
  const inner = /^\s*\[\[?(.*?)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
  if (inner === undefined) return undefined;
  const way: string[] = [];
  for (let at = 0; at <= inner.length;) {
    TOML_KEY.lastIndex = at;
    const found = TOML_KEY.exec(inner);
    if (!found) return undefined;
    way.push(found[1] ?? found[2] ?? found[3] ?? "");
    at = TOML_KEY.lastIndex;
    if (at === inner.length) return way;
    if (inner[at++] !== ".") return undefined;
  }
  return undefined;
}
