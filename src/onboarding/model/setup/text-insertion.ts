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

function appendLines(text: string, lines: string): InsertionResult {
  const newline = detectNewline(text);
  const isEmpty = text.replace(/^\uFEFF/, "") === "";
  const lead = isEmpty ? "" : text.endsWith("\n") ? newline : `${newline}${newline}`;
  return { text: `${text}${lead}${convertNewlines(lines, newline)}`, seam: { lead, tail: "" } };
}

/** Removes whole lines. Text added behind them keeps its own line. */
function removeInsertedLines(text: string, found: FoundText | undefined, seam: InsertionSeparators | undefined) {
  if (!found) return text;
  const lead = seam?.lead ?? "";
  const from = text.slice(0, found.start).endsWith(lead) ? found.start - lead.length : found.start;
  const [before, after] = [text.slice(0, from), text.slice(found.end)];
  const isOpen = before.replace(/^\uFEFF/, "") !== "" && !before.endsWith("\n");
  const isLeft = after !== "" && !/^\r?\n/.test(after);
  return isOpen && isLeft ? `${before}${detectNewline(text)}${after}` : `${before}${after}`;
}

const SETUP_BLOCK_BEGIN = "<!-- tenon:begin: tenon setup keeps this part up to date until you edit it -->";
const SETUP_BLOCK_END = "<!-- tenon:end -->";
const SETUP_BLOCK_MARKS = /(?<=^\uFEFF?)<!-- tenon:(begin|end)\b[^\r\n]*-->[ \t]*$/gm;

interface FoundText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function replaceFoundText(text: string, found: FoundText | undefined, lines: string): string {
  if (!found) return text;
  const newline = detectNewline(text);
  const end = text.slice(found.start, found.end).endsWith("\n") ? newline : "";
  return `${text.slice(0, found.start)}${convertNewlines(lines, newline)}${end}${text.slice(found.end)}`;
}

export function findMarkedBlock(text: string): FoundText | undefined {
  const marks = [...text.matchAll(SETUP_BLOCK_MARKS)];
  const [begin, end] = marks;
  if (marks.length !== 2 || begin?.[1] !== "begin" || end?.[1] !== "end") return undefined;
  const inner = text.slice(begin.index + begin[0].length, end.index);
  const close = end.index + end[0].length;
  const newline = /^\r?\n/.exec(text.slice(close))?.[0] ?? "";
  return { text: convertNewlines(inner, "\n").trim(), start: begin.index, end: close + newline.length };
}

export const hasBlockMark = (text: string): boolean => text.search(SETUP_BLOCK_MARKS) >= 0;

const frameBlockText = (text: string): string => `${SETUP_BLOCK_BEGIN}\n\n${text.trim()}\n\n${SETUP_BLOCK_END}`;

export const addMarkedBlock = (text: string, block: string): InsertionResult =>
  appendLines(text, `${frameBlockText(block)}\n`);

export const replaceMarkedBlock = (text: string, block: string): string =>
  replaceFoundText(text, findMarkedBlock(text), frameBlockText(block));

export const removeMarkedBlock = (text: string, seam: InsertionSeparators | undefined): string =>
  removeInsertedLines(text, findMarkedBlock(text), seam);

/** Delimiters of strings; the long ones may span lines. */
const TOML_STRING_DELIMITERS = ['"""', "'''", '"', "'"] as const;

export function listTomlTables(text: string) {
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
export function findTomlTable(text: string, way: readonly string[]): FoundText | undefined {
  const [table, second] = listTomlTables(text).filter((each) => way.every((key, i) => each.way[i] === key));
  if (!table || second || table.way.length !== way.length) return undefined;
  return { text: convertNewlines(text.slice(table.start, table.end), "\n").trim(), start: table.start, end: table.end };
}

export const addTomlTable = (text: string, table: string): InsertionResult => appendLines(text, `${table}\n`);

export const replaceTomlTable = (text: string, way: readonly string[], table: string): string =>
  replaceFoundText(text, findTomlTable(text, way), table);

export const removeTomlTable = (text: string, way: readonly string[], seam: InsertionSeparators | undefined): string =>
  removeInsertedLines(text, findTomlTable(text, way), seam);

/** A line is open if it begins inside a string or a list of an earlier line. */
function splitTomlLines(text: string) {
  const lines: (FoundText & { isOpen: boolean })[] = [];
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
