import { isMap, isScalar, stringify } from "yaml";
import type { YamlEdit, YamlPath, YamlValue } from "../model/yaml-tree.ts";
import {
  type YamlPair,
  PositionedYaml,
  isFlowCollection,
  type YamlPosition,
  type ParsedYamlNode,
} from "./yaml-positions.ts";

/** Applies the edits in order. Edits that do not overlap share one parse of the text. */
export function editYamlText(text: string, edits: readonly YamlEdit[]): string {
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  return bom + new YamlEditSession(text.slice(bom.length)).all(edits);
}

class YamlEditSession {
  #ground: PositionedYaml;
  #waiting: YamlSplice[] = [];
  #kind: YamlEdit["kind"] | undefined;

  constructor(text: string) {
    this.#ground = new PositionedYaml(text);
  }

  all(edits: readonly YamlEdit[]): string {
    for (const edit of edits) {
      if (edit.kind !== this.#kind || edit.kind === "move") this.#settle();
      this.#kind = edit.kind;
      const splices = this.#tried(edit);
      if (splices) this.#waiting.push(...splices);
    }
    this.#settle();
    return this.#ground.text;
  }

  #tried(edit: YamlEdit): readonly YamlSplice[] | undefined {
    const splices = createEditSplices(this.#ground, edit);
    const meets = (splice: YamlSplice): boolean =>
      this.#waiting.some((other) => splice.from <= other.to && other.from <= splice.to);
    if (this.#waiting.length === 0 || (splices && !splices.some(meets))) return splices;
    this.#settle();
    return createEditSplices(this.#ground, edit);
  }

  #settle(): void {
    if (this.#waiting.length === 0) return;
    this.#ground = new PositionedYaml(applySplices(this.#ground.text, this.#waiting));
    this.#waiting = [];
  }
}

function createEditSplices(ground: PositionedYaml, edit: YamlEdit): readonly YamlSplice[] | undefined {
  if (edit.kind === "move") return createMoveSplices(ground, edit.from, edit.to);
  if (edit.kind === "remove") return createRemoveSplices(ground, edit.at);
  const spot = ground.at(edit.at);
  if (!spot) return undefined;
  switch (edit.kind) {
    case "rename": {
      const range = spot.entry?.key.range;
      return range && [{ from: range[0], to: range[1], text: edit.to }];
    }
    case "replace":
      return createReplaceSplices(ground, spot, edit.value);
    case "insert":
      return createInsertSplices(ground, spot, edit);
  }
}

function createReplaceSplices(
  ground: PositionedYaml,
  spot: YamlPosition,
  value: Extract<YamlEdit, { kind: "replace" }>["value"],
): YamlSplice[] {
  const { node, opening, isInFlow } = spot;
  const isThere = node !== null && node.range[0] < node.range[1];
  const from = isThere ? node.range[0] : opening;
  const end = ground.contentEnd(node, opening);
  // A block scalar includes its last line break, which stays.
  const to = isThere ? from + ground.text.slice(from, end).replace(/\r?\n$/, "").length : end;
  const fresh =
    isInFlow || typeof value !== "object" || value === null
      ? formatSingleLineValue(spot, value, isThere)
      : formatMultiLineValue(ground, spot, value, isThere);
  const start = fresh.isOwnLine ? opening : from;
  const comments = ground.commentsWithin(start, to);
  return [...createCommentSplices(ground, opening, comments), { from: start, to, text: fresh.text }];
}

function formatSingleLineValue(
  { node, isInFlow }: YamlPosition,
  value: Parameters<typeof formatInlineValue>[0],
  isThere: boolean,
) {
  const isQuoted = isScalar(node) && node.type === "QUOTE_DOUBLE";
  const text = isInFlow ? formatBracketedValue(value) : formatInlineValue(value, isQuoted);
  return { text: isThere ? text : ` ${text}`, isOwnLine: false };
}

function formatMultiLineValue(
  ground: PositionedYaml,
  { entry, node, opening }: YamlPosition,
  value: Parameters<typeof formatBlockValue>[0],
  isThere: boolean,
) {
  const isApart = isThere && node !== null && ground.lineStart(node.range[0]) !== ground.lineStart(opening);
  if (isApart) return { text: formatBlockValue(value, ground.column(node.range[0])), isOwnLine: false };
  if (!entry) {
    const indent = isThere && node ? ground.column(node.range[0]) : ground.column(opening) + 1;
    return { text: `${isThere ? "" : " "}${formatBlockValue(value, indent)}`, isOwnLine: false };
  }
  const indent = ground.column(entry.key.range[0]) + 2;
  return { text: `\n${" ".repeat(indent)}${formatBlockValue(value, indent)}`, isOwnLine: true };
}

function createInsertSplices(
  ground: PositionedYaml,
  { node }: YamlPosition,
  edit: Extract<YamlEdit, { kind: "insert" }>,
): YamlSplice[] | undefined {
  if (!isMap(node)) return undefined;
  const items = node.items as readonly YamlPair[];
  const [first, last] = [items[0], items.at(-1)];
  if (isFlowCollection(node) || !first || !last) {
    const written = `${edit.key}: ${formatBracketedValue(edit.value)}`;
    const open = node.range[0] + 1;
    if (!first || !last) return [{ from: open, to: open, text: written }];
    if (edit.isFirst) return [{ from: open, to: open, text: `${written}, ` }];
    const end = ground.contentEnd(last.value, last.key.range[1]);
    return [{ from: end, to: end, text: `, ${written}` }];
  }
  const indent = ground.column(first.key.range[0]);
  const written = formatBlockValue({ [edit.key]: edit.value }, indent);
  if (edit.isFirst) {
    const start = first.key.range[0];
    return [{ from: start, to: start, text: `${written}\n${" ".repeat(indent)}` }];
  }
  return [createAppendSplice(ground, ground.endOf(last), `${" ".repeat(indent)}${written}\n`)];
}

function createMoveSplices(ground: PositionedYaml, from: YamlPath, to: YamlPath): YamlSplice[] | undefined {
  const spot = ground.at(from);
  const parent = ground.at(from.slice(0, -1));
  if (!spot?.entry || !parent || !isMap(parent.node)) return undefined;
  const isLast = parent.node.items.length === 1 && from.length > 1;
  const cut = cutYamlEntry(ground, spot, spot.entry);
  const goes = isLast
    ? createEmptyParentSplices(ground, parent, cut)
    : createCutSplices(ground, parent, spot.entry, cut);
  const target = ground.at(to.slice(0, -1));
  const key = String(to.at(-1));
  const paste = target
    ? pasteIntoMapping(ground, target.node, key, cut)
    : pasteIntoNewMapping(ground, String(to[0]), key, cut);
  return paste && goes && [...goes, paste];
}

function createRemoveSplices(ground: PositionedYaml, at: YamlPath): YamlSplice[] | undefined {
  const spot = ground.at(at);
  const parent = ground.at(at.slice(0, -1));
  if (!spot?.entry || !parent) return undefined;
  return createCutSplices(ground, parent, spot.entry, cutYamlEntry(ground, spot, spot.entry));
}

interface YamlCut {
  readonly from: number;
  readonly to: number;
  readonly lines?: { readonly above: string; readonly behindKey: string; readonly indent: number };
  readonly value: YamlValue;
  readonly comments: readonly string[];
}

function cutYamlEntry(ground: PositionedYaml, { node, isInFlow }: YamlPosition, entry: YamlPair): YamlCut {
  const key = entry.key.range;
  const indent = ground.column(key[0]);
  const start = ground.lineStart(key[0]);
  const value = (node === null ? null : (node.toJSON() as YamlValue)) ?? null;
  const end = ground.endOf(entry);
  const isAlone = !isInFlow && ground.text.slice(start, key[0]).trim() === "";
  if (!isAlone) {
    const last = ground.contentEnd(node, key[1]);
    return { from: key[0], to: last, value, comments: ground.commentsWithin(key[0], last) };
  }
  const from = findCommentsAboveLine(ground, start);
  const above = ground.text.slice(from, start);
  const behindKey = ground.text.slice(key[1], end).replace(/(?:\r?\n)?$/, "\n");
  return { from, to: end, lines: { above, behindKey, indent }, value, comments: [] };
}

function findCommentsAboveLine(ground: PositionedYaml, start: number): number {
  let from = start;
  while (from > 0) {
    const before = ground.lineStart(from - 1);
    if (!/^ *#/.test(ground.text.slice(before, from))) return from;
    from = before;
  }
  return from;
}

function createCutSplices(
  ground: PositionedYaml,
  parent: YamlPosition,
  entry: YamlPair,
  cut: YamlCut,
): YamlSplice[] | undefined {
  if (cut.lines) return [{ from: cut.from, to: cut.to, text: "" }];
  if (!isFlowCollection(parent.node) || !isMap(parent.node)) return undefined;
  const items = parent.node.items as readonly YamlPair[];
  const i = items.indexOf(entry);
  const [before, after] = [items[i - 1], items[i + 1]];
  const from = before && !after ? ground.contentEnd(before.value, before.key.range[1]) : cut.from;
  const to = after ? after.key.range[0] : cut.to;
  return [...createCommentSplices(ground, from, ground.commentsWithin(from, to)), { from, to, text: "" }];
}

/** Removes an empty mapping with its key. Comments next to the key stay. */
function createEmptyParentSplices(
  ground: PositionedYaml,
  parent: YamlPosition,
  cut: YamlCut,
): YamlSplice[] | undefined {
  if (!parent.entry || parent.isInFlow) return undefined;
  const key = parent.entry.key.range[0];
  const start = ground.lineStart(key);
  if (ground.text.slice(start, key).trim() !== "") return undefined;
  const end = ground.endOf(parent.entry);
  const kept = ground.commentsWithin(start, cut.lines ? cut.from : end);
  const indent = " ".repeat(ground.column(key));
  return [{ from: start, to: cut.lines ? cut.to : end, text: kept.map((comment) => `${indent}${comment}\n`).join("") }];
}

function pasteIntoMapping(
  ground: PositionedYaml,
  node: ParsedYamlNode | null,
  key: string,
  cut: YamlCut,
): YamlSplice | undefined {
  if (!isMap(node)) return undefined;
  const items = node.items as readonly YamlPair[];
  const last = items.at(-1);
  if (isFlowCollection(node) || !last || !items[0]) {
    const end = last ? ground.contentEnd(last.value, last.key.range[1]) : node.range[0] + 1;
    return { from: end, to: end, text: `${last ? ", " : ""}${key}: ${formatBracketedValue(cut.value)}` };
  }
  const indent = ground.column(items[0].key.range[0]);
  return createAppendSplice(ground, ground.endOf(last), formatPastedLines(key, cut, indent));
}

function pasteIntoNewMapping(
  ground: PositionedYaml,
  parent: string,
  key: string,
  cut: YamlCut,
): YamlSplice | undefined {
  const items = isMap(ground.root) ? (ground.root.items as readonly YamlPair[]) : [];
  const last = items.at(-1);
  if (!last || !items[0] || isFlowCollection(ground.root)) return undefined;
  const indent = ground.column(items[0].key.range[0]);
  const lines = `${" ".repeat(indent)}${parent}:\n${formatPastedLines(key, cut, indent + 2)}`;
  return createAppendSplice(ground, ground.endOf(last), lines);
}

function formatPastedLines(key: string, { lines, value }: YamlCut, indent: number): string {
  if (!lines) return `${" ".repeat(indent)}${formatBlockValue({ [key]: value }, indent)}\n`;
  return reindentLines(`${lines.above}${" ".repeat(lines.indent)}${key}${lines.behindKey}`, lines.indent, indent);
}

interface YamlSplice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function applySplices(text: string, splices: readonly YamlSplice[]): string {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? "\n";
  let rest = text;
  const parts: string[] = [];
  for (const { from, to, text: fresh } of splices.toSorted((a, b) => b.from - a.from || b.to - a.to)) {
    parts.unshift(fresh.replace(/\r?\n/g, lineBreak), rest.slice(to));
    rest = rest.slice(0, from);
  }
  return [rest, ...parts].join("");
}

/** Keeps the comments inside a removed part by putting them above it. */
function createCommentSplices(ground: PositionedYaml, offset: number, comments: readonly string[]): YamlSplice[] {
  if (comments.length === 0) return [];
  const start = ground.lineStart(offset);
  const indent = /^ */.exec(ground.text.slice(start))?.[0] ?? "";
  return [{ from: start, to: start, text: comments.map((comment) => `${indent}${comment}\n`).join("") }];
}

function createAppendSplice(ground: PositionedYaml, end: number, lines: string): YamlSplice {
  const isOpen = end > 0 && ground.text.charAt(end - 1) !== "\n";
  return { from: end, to: end, text: isOpen ? `\n${lines}` : lines };
}

/** Never wraps lines or uses block scalars, because a comment may follow the value. */
const YAML_STYLE = { lineWidth: 0, blockQuote: false } as const;

function formatInlineValue(value: YamlValue, isQuoted = false): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  if (typeof value === "string" && isQuoted) return JSON.stringify(value);
  const written = stringify(value, YAML_STYLE).trimEnd();
  return written.includes("\n") ? JSON.stringify(value) : written;
}

/** Like `formatInlineValue`, but quotes characters with a meaning inside brackets. */
function formatBracketedValue(value: YamlValue): string {
  const written = formatInlineValue(value);
  return /^[\w .%/-]+$/.test(written) || /^["[{]/.test(written) ? written : JSON.stringify(value);
}

const formatBlockValue = (value: YamlValue, indent: number): string =>
  stringify(value, YAML_STYLE)
    .trimEnd()
    .replaceAll("\n", `\n${" ".repeat(indent)}`);

function reindentLines(text: string, from: number, to: number): string {
  const spaces = " ".repeat(Math.max(0, to - from));
  const surplus = new RegExp(`^ {0,${Math.max(0, from - to)}}`);
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? line : `${spaces}${line.replace(surplus, "")}`))
    .join("\n");
}
