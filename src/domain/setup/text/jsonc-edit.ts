import {
  type ArrayNode,
  canonical,
  type Entry,
  type JsoncDocument,
  type Node,
  type ObjectNode,
  readJsonc,
  valueOf,
} from "./jsonc.ts";
import { newlineOf, type Seam, type Sewn } from "./newline.ts";

type Container = ObjectNode | ArrayNode;

export function nodeAt(root: Node | undefined, way: readonly string[]): Node | undefined {
  let node = root;
  for (const key of way) {
    if (node?.kind !== "object") return undefined;
    node = node.entries.findLast((entry) => entry.key === key)?.value;
  }
  return node;
}

/** Whether an entry contains a comment that its removal would lose. */
export const isCommented = ({ comments }: JsoncDocument, entry: Entry): boolean =>
  comments.some(({ start }) => start >= entry.start && start < (entry.comma ?? entry.end));

export function addRoot(text: string): Sewn {
  const newline = newlineOf(text);
  const isOpen = text.replace(/^\uFEFF/, "") !== "" && !text.endsWith("\n");
  const seam = { lead: isOpen ? newline : "", tail: newline };
  return { text: `${text}${seam.lead}{}${seam.tail}`, seam };
}

export function removeRoot(text: string, { lead, tail }: Seam): string {
  const { root, comments } = readJsonc(text);
  if (!root || !isEmpty(root, comments)) return text;
  const [before, after] = [text.slice(0, root.start), text.slice(root.end)];
  return `${before.endsWith(lead) ? before.slice(0, before.length - lead.length) : before}${after.startsWith(tail) ? after.slice(tail.length) : after}`;
}

/** Adds a value after the last entry, in the layout of its neighbours. */
export function addEntry(text: string, container: Container, key: string | undefined, value: unknown): Sewn {
  const { comments, root = container } = readJsonc(text);
  const newline = newlineOf(text);
  const unit = unitOf(text);
  const last = container.entries.at(-1);
  // An empty container follows the layout of the whole file.
  const { start, end } = last ? container : root;
  const isFlat = (last !== undefined || root.start !== container.start) && !/[\r\n]/.test(text.slice(start, end));
  const indent = indentIn(text, container, unit);
  const written = write(value, isFlat ? undefined : { indent, unit, newline });
  const entry = key === undefined ? written : `${JSON.stringify(key)}: ${written}`;
  const lead = isFlat ? " " : `${newline}${indent}`;
  const at = behindComments(text, comments, last?.comma ?? last?.end ?? container.start + 1, container);
  if (!last) {
    const rest = text.slice(at, container.end - 1);
    const closing = isFlat ? " " : `${newline}${lineIndent(text, container.start)}`;
    const tail = (isFlat ? /\s/ : /[\r\n]/).test(rest) ? "" : closing;
    return { text: splice(text, at, at, `${lead}${entry}${tail}`), seam: { lead, tail } };
  }
  if (last.comma !== undefined) return { text: splice(text, at, at, `${lead}${entry},`), seam: { lead, tail: "," } };
  const more = splice(text, at, at, `${lead}${entry}`);
  return { text: splice(more, last.end, last.end, ","), seam: { lead, tail: "" } };
}

export function replaceValue(text: string, container: Container, entry: Entry, value: unknown): string {
  const isFlat = !/[\r\n]/.test(text.slice(container.start, container.end));
  const layout = { indent: lineIndent(text, entry.start), unit: unitOf(text), newline: newlineOf(text) };
  return splice(text, entry.value.start, entry.value.end, write(value, isFlat ? undefined : layout));
}

/** Removes an entry with its separators. The text stays unchanged if the result would not parse as expected. */
export function removeEntry(text: string, way: readonly string[], index: number, seam: Seam | undefined): string {
  const container = nodeAt(readJsonc(text).root, way);
  if (!container || container.kind === "scalar" || !container.entries[index]) return text;
  const wanted = canonical(container.entries.filter((_, i) => i !== index).map(said));
  for (const isClose of [true, false]) {
    const result = without(text, container, index, isClose ? seam : undefined, isClose);
    if (isSo(result, way, wanted)) return result;
  }
  return text;
}

export function removeIfEmpty(text: string, way: readonly string[], seam: Seam): string {
  const { root, comments } = readJsonc(text);
  const node = nodeAt(root, way);
  const parent = nodeAt(root, way.slice(0, -1));
  if (!node || parent?.kind !== "object" || !isEmpty(node, comments)) return text;
  const index = parent.entries.findLastIndex(({ key }) => key === way.at(-1));
  return removeEntry(text, way.slice(0, -1), index, seam);
}

const said = (entry: Entry): unknown => [
  "key" in entry && typeof entry.key === "string" ? entry.key : null,
  valueOf(entry.value),
];

function isSo(text: string, way: readonly string[], wanted: string): boolean {
  try {
    const node = nodeAt(readJsonc(text).root, way);
    return node !== undefined && node.kind !== "scalar" && canonical(node.entries.map(said)) === wanted;
  } catch {
    return false;
  }
}

function without(text: string, { entries, start }: Container, index: number, seam: Seam | undefined, isClose: boolean) {
  const entry = entries[index] as Entry;
  const [before, next] = [entries[index - 1], entries[index + 1]];
  const limit = before ? (before.comma ?? before.end) : start + 1;
  const gap = text.slice(limit, entry.start);
  const lead = seam && gap.endsWith(seam.lead) ? seam.lead : isClose ? (/(?:\r?\n)?[ \t]*$/.exec(gap)?.[0] ?? "") : "";
  const from = entry.start - lead.length;
  let to = entry.comma ?? entry.end;
  if (!next && !before && entry.comma === undefined && seam && text.startsWith(seam.tail, to)) to += seam.tail.length;
  const rest = splice(text, from, to, "");
  // The comma before it stays if another entry follows, or if the user ends lists with a comma.
  const isComma = before?.comma !== undefined && !next && seam?.tail !== ",";
  return isComma ? splice(rest, before.comma - 1, before.comma, "") : rest;
}

const isEmpty = (node: Node, comments: JsoncDocument["comments"]): boolean =>
  node.kind !== "scalar" &&
  node.entries.length === 0 &&
  !comments.some(({ start, end }) => start > node.start && end < node.end);

const splice = (text: string, start: number, end: number, more: string): string =>
  `${text.slice(0, start)}${more}${text.slice(end)}`;

function behindComments(text: string, comments: JsoncDocument["comments"], from: number, container: Container): number {
  let at = from;
  for (const { start, end } of comments) {
    if (start < at || end > container.end) continue;
    const isNear = container.entries.length === 0 || /^[ \t]*$/.test(text.slice(at, start));
    if (!isNear) break;
    at = end;
  }
  return at;
}

const lineIndent = (text: string, at: number): string => {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? "";
};

/** One step of indentation: that of the outermost entry on its own line. */
function unitOf(text: string): string {
  const { root } = readJsonc(text);
  const first = root?.kind === "scalar" ? undefined : root?.entries[0];
  if (!root || !first) return "  ";
  const inner = lineIndent(text, first.start);
  const outer = lineIndent(text, root.start);
  const isOwnLine = text.slice(root.start, first.start).includes("\n");
  return isOwnLine && inner.length > outer.length ? inner.slice(outer.length) : "  ";
}

function indentIn(text: string, container: Container, unit: string): string {
  const own = container.entries.find(({ start }) =>
    /^\s*$/.test(text.slice(text.lastIndexOf("\n", start - 1) + 1, start)),
  );
  return own ? lineIndent(text, own.start) : `${lineIndent(text, container.start)}${unit}`;
}

interface Layout {
  readonly indent: string;
  readonly unit: string;
  readonly newline: string;
}

function write(value: unknown, layout: Layout | undefined): string {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isPlain = isList && value.every((each) => typeof each !== "object" || each === null);
  const inner = layout && !isPlain ? { ...layout, indent: `${layout.indent}${layout.unit}` } : undefined;
  const parts = isList
    ? value.map((each) => write(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${write(each, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return `${open}${close}`;
  if (!inner || !layout) return isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  const line = `${layout.newline}${inner.indent}`;
  return `${open}${line}${parts.join(`,${line}`)}${layout.newline}${layout.indent}${close}`;
}
