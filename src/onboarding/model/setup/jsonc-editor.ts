import type { JsoncArray, JsoncEntry, JsoncDocument, JsoncNode, JsoncObject } from "./jsonc-document.ts";
import { formatCanonicalJson, parseJsoncText, convertJsoncNode } from "./jsonc-document.ts";
import { detectNewline, type InsertionSeparators, type InsertionResult } from "./text-insertion.ts";

export type JsoncContainer = JsoncObject | JsoncArray;

export function findJsoncNode(root: JsoncNode | undefined, way: readonly string[]): JsoncNode | undefined {
  let node = root;
  for (const key of way) {
    if (node?.kind !== "object") return undefined;
    node = node.entries.findLast((entry) => entry.key === key)?.value;
  }
  return node;
}

/** Whether an entry contains a comment that its removal would lose. */
export const hasJsoncComment = ({ comments }: JsoncDocument, entry: JsoncEntry): boolean =>
  comments.some(({ start }) => start >= entry.start && start < (entry.comma ?? entry.end));

export function addJsoncRoot(text: string): InsertionResult {
  const newline = detectNewline(text);
  const isOpen = text.replace(/^\uFEFF/, "") !== "" && !text.endsWith("\n");
  const seam = { lead: isOpen ? newline : "", tail: newline };
  return { text: `${text}${seam.lead}{}${seam.tail}`, seam };
}

export function removeEmptyJsoncRoot(text: string, { lead, tail }: InsertionSeparators): string {
  const { root, comments } = parseJsoncText(text);
  if (!root || !isEmptyContainer(root, comments)) return text;
  const [before, after] = [text.slice(0, root.start), text.slice(root.end)];
  return `${before.endsWith(lead) ? before.slice(0, before.length - lead.length) : before}${after.startsWith(tail) ? after.slice(tail.length) : after}`;
}

/** Adds a value after the last entry, in the layout of its neighbours. */
export function addJsoncEntry(
  text: string,
  container: JsoncContainer,
  key: string | undefined,
  value: unknown,
): InsertionResult {
  const { comments, root = container } = parseJsoncText(text);
  const newline = detectNewline(text);
  const unit = detectIndentUnit(text);
  const last = container.entries.at(-1);
  // An empty container follows the layout of the whole file.
  const { start, end } = last ? container : root;
  const isFlat = (last !== undefined || root.start !== container.start) && !/[\r\n]/.test(text.slice(start, end));
  const own = container.entries.find((each) =>
    /^\s*$/.test(text.slice(text.lastIndexOf("\n", each.start - 1) + 1, each.start)),
  );
  const indent = own ? getLineIndent(text, own.start) : `${getLineIndent(text, container.start)}${unit}`;
  const written = formatJsoncValue(value, isFlat ? undefined : { indent, unit, newline });
  const entry = key === undefined ? written : `${JSON.stringify(key)}: ${written}`;
  const lead = isFlat ? " " : `${newline}${indent}`;
  const at = skipLineComments(text, comments, last?.comma ?? last?.end ?? container.start + 1, container);
  if (!last) {
    const rest = text.slice(at, container.end - 1);
    const closing = isFlat ? " " : `${newline}${getLineIndent(text, container.start)}`;
    const tail = (isFlat ? /\s/ : /[\r\n]/).test(rest) ? "" : closing;
    return { text: spliceText(text, at, at, `${lead}${entry}${tail}`), seam: { lead, tail } };
  }
  if (last.comma !== undefined)
    return { text: spliceText(text, at, at, `${lead}${entry},`), seam: { lead, tail: "," } };
  const more = spliceText(text, at, at, `${lead}${entry}`);
  return { text: spliceText(more, last.end, last.end, ","), seam: { lead, tail: "" } };
}

export function replaceJsoncValue(text: string, container: JsoncContainer, entry: JsoncEntry, value: unknown): string {
  const isFlat = !/[\r\n]/.test(text.slice(container.start, container.end));
  const indent = getLineIndent(text, entry.start);
  const layout = { indent, unit: detectIndentUnit(text), newline: detectNewline(text) };
  return spliceText(text, entry.value.start, entry.value.end, formatJsoncValue(value, isFlat ? undefined : layout));
}

/** Removes an entry with its separators. The text stays unchanged if the result would not parse as expected. */
export function removeJsoncEntry(
  text: string,
  way: readonly string[],
  index: number,
  seam: InsertionSeparators | undefined,
): string {
  const container = findJsoncNode(parseJsoncText(text).root, way);
  if (!container || container.kind === "scalar" || !container.entries[index]) return text;
  const wanted = formatCanonicalJson(container.entries.filter((_, i) => i !== index).map(pairKeyAndValue));
  for (const isClose of [true, false]) {
    const result = cutJsoncEntry(text, container, index, isClose ? seam : undefined, isClose);
    if (isExpectedContainer(result, way, wanted)) return result;
  }
  return text;
}

export function removeEmptyJsoncEntry(text: string, way: readonly string[], seam: InsertionSeparators): string {
  const { root, comments } = parseJsoncText(text);
  const node = findJsoncNode(root, way);
  const parent = findJsoncNode(root, way.slice(0, -1));
  if (!node || parent?.kind !== "object" || !isEmptyContainer(node, comments)) return text;
  const index = parent.entries.findLastIndex(({ key }) => key === way.at(-1));
  return removeJsoncEntry(text, way.slice(0, -1), index, seam);
}

const pairKeyAndValue = (entry: JsoncEntry): unknown => [
  "key" in entry && typeof entry.key === "string" ? entry.key : null,
  convertJsoncNode(entry.value),
];

function isExpectedContainer(text: string, way: readonly string[], wanted: string): boolean {
  try {
    const node = findJsoncNode(parseJsoncText(text).root, way);
    return (
      node !== undefined && node.kind !== "scalar" && formatCanonicalJson(node.entries.map(pairKeyAndValue)) === wanted
    );
  } catch {
    return false;
  }
}

function cutJsoncEntry(
  text: string,
  { entries, start }: JsoncContainer,
  index: number,
  seam: InsertionSeparators | undefined,
  isClose: boolean,
) {
  const entry = entries[index] as JsoncEntry;
  const [before, next] = [entries[index - 1], entries[index + 1]];
  const limit = before ? (before.comma ?? before.end) : start + 1;
  const gap = text.slice(limit, entry.start);
  const lead = seam && gap.endsWith(seam.lead) ? seam.lead : isClose ? (/(?:\r?\n)?[ \t]*$/.exec(gap)?.[0] ?? "") : "";
  const from = entry.start - lead.length;
  let to = entry.comma ?? entry.end;
  if (!next && !before && entry.comma === undefined && seam && text.startsWith(seam.tail, to)) to += seam.tail.length;
  const rest = spliceText(text, from, to, "");
  // The comma before it stays if another entry follows, or if the user ends lists with a comma.
  const isComma = before?.comma !== undefined && !next && seam?.tail !== ",";
  return isComma ? spliceText(rest, before.comma - 1, before.comma, "") : rest;
}

const isEmptyContainer = (node: JsoncNode, comments: JsoncDocument["comments"]): boolean =>
  node.kind !== "scalar" &&
  node.entries.length === 0 &&
  !comments.some(({ start, end }) => start > node.start && end < node.end);

const spliceText = (text: string, start: number, end: number, more: string): string =>
  `${text.slice(0, start)}${more}${text.slice(end)}`;

function skipLineComments(text: string, comments: JsoncDocument["comments"], from: number, container: JsoncContainer) {
  let at = from;
  for (const { start, end } of comments) {
    if (start < at || end > container.end) continue;
    const isNear = container.entries.length === 0 || /^[ \t]*$/.test(text.slice(at, start));
    if (!isNear) break;
    at = end;
  }
  return at;
}

const getLineIndent = (text: string, at: number): string => {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? "";
};

/** One step of indentation: that of the outermost entry on its own line. */
function detectIndentUnit(text: string): string {
  const { root } = parseJsoncText(text);
  const first = root?.kind === "scalar" ? undefined : root?.entries[0];
  if (!root || !first) return "  ";
  const inner = getLineIndent(text, first.start);
  const outer = getLineIndent(text, root.start);
  const isOwnLine = text.slice(root.start, first.start).includes("\n");
  return isOwnLine && inner.length > outer.length ? inner.slice(outer.length) : "  ";
}

type JsoncLayout = Readonly<Record<"indent" | "unit" | "newline", string>>;

/** Prettier breaks a longer line. */
const MAX_JSON_LINE = 80;

/** In the layout of Prettier's defaults. `used` is the width of what shares the line with the value: a key, a comma. */
export function formatJsoncValue(value: unknown, layout: JsoncLayout | undefined, used = 0): string {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const flat = isList ? `[${value.map((each) => formatJsoncValue(each, undefined)).join(", ")}]` : "";
  const isPlain = isList && value.every((each) => typeof each !== "object" || each === null);
  const isShort = isPlain && (layout?.indent.length ?? 0) + used + flat.length <= MAX_JSON_LINE;
  const inner = layout && !isShort ? { ...layout, indent: `${layout.indent}${layout.unit}` } : undefined;
  const entries = Object.entries(value);
  const parts = isList
    ? value.map((each) => formatJsoncValue(each, inner))
    : entries.map(([key, each], i) => {
        const name = `${JSON.stringify(key)}: `;
        return `${name}${formatJsoncValue(each, inner, name.length + (i < entries.length - 1 ? 1 : 0))}`;
      });
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return `${open}${close}`;
  if (!inner || !layout) return isList ? flat : `{ ${parts.join(", ")} }`;
  const line = `${layout.newline}${inner.indent}`;
  return `${open}${line}${parts.join(`,${line}`)}${layout.newline}${layout.indent}${close}`;
}
