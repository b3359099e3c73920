import { append, cut, newlineOf, type Seam, type Sewn, withNewline } from "./newline.ts";

interface Table {
  readonly way: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Delimiters of strings; the long ones may span lines. */
const STRINGS = ['"""', "'''", '"', "'"] as const;

export function tablesIn(text: string): Table[] {
  const lines = linesIn(text);
  const headers = lines.flatMap((line, index) => {
    const way = line.isOpen ? undefined : headerOf(line.text);
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
export function findTable(
  text: string,
  way: readonly string[],
): { text: string; start: number; end: number } | undefined {
  const tables = tablesIn(text);
  const isWithin = (table: Table): boolean => way.every((key, i) => table.way[i] === key);
  const found = tables.filter(isWithin);
  const [table] = found;
  if (found.length !== 1 || !table || table.way.length !== way.length) return undefined;
  return { text: withNewline(text.slice(table.start, table.end), "\n").trim(), start: table.start, end: table.end };
}

export const addTable = (text: string, table: string): Sewn => append(text, `${table}\n`);

export function replaceTable(text: string, way: readonly string[], table: string): string {
  const found = findTable(text, way);
  if (!found) return text;
  const newline = newlineOf(text);
  const end = text.slice(found.start, found.end).endsWith("\n") ? newline : "";
  return `${text.slice(0, found.start)}${withNewline(table, newline)}${end}${text.slice(found.end)}`;
}

export function removeTable(text: string, way: readonly string[], seam: Seam | undefined): string {
  const found = findTable(text, way);
  return found ? cut(text, found.start, found.end, seam) : text;
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether it begins inside a string or a list of an earlier line. */
  readonly isOpen: boolean;
}

function linesIn(text: string): Line[] {
  const lines: Line[] = [];
  let [start, depth] = [0, 0];
  let open: string | undefined;
  for (const each of text.split(/(?<=\n)/)) {
    const line = { text: each.replace(/^\uFEFF/, "").trimEnd(), start, end: start + each.length };
    const isOpen = open !== undefined || depth > 0;
    lines.push({ ...line, isOpen });
    start += each.length;
    if (!isOpen && headerOf(line.text)) continue;
    [open, depth] = after(each, open, depth);
  }
  return lines;
}

/** The string and the bracket depth that a line leaves open. */
function after(line: string, within: string | undefined, deep: number): [string | undefined, number] {
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
    const begun = STRINGS.find((quote) => line.startsWith(quote, i));
    if (begun) open = begun;
    else if (line[i] === "[" || line[i] === "{") depth++;
    else if (line[i] === "]" || line[i] === "}") depth--;
    i += begun?.length ?? 1;
  }
  return [open !== undefined && open.length === 3 ? open : undefined, depth];
}

const KEY = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*/y;

/** The keys of a header such as `[mcp_servers."a.b"]`; undefined for other lines. */
function headerOf(line: string): string[] | undefined {
  const inner = /^\s*\[\[?(.*?)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
  if (inner === undefined) return undefined;
  const way: string[] = [];
  for (let at = 0; at <= inner.length;) {
    KEY.lastIndex = at;
    const found = KEY.exec(inner);
    if (!found) return undefined;
    way.push(found[1] ?? found[2] ?? found[3] ?? "");
    at = KEY.lastIndex;
    if (at === inner.length) return way;
    if (inner[at++] !== ".") return undefined;
  }
  return undefined;
}
