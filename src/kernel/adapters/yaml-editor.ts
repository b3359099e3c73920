import { isMap, isScalar, stringify } from "yaml";
import type { YamlEdit, YamlPath, YamlValue } from "../model/yaml-tree.ts";
import type { YamlPair, YamlPosition, ParsedYamlNode } from "./yaml-positions.ts";
import { PositionedYaml, isFlowCollection } from "./yaml-positions.ts";

/** Applies the edits in order. Edits that do not overlap share one parse of the text. */
export function editYamlText(text: string, edits: readonly YamlEdit[]): string {
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  let ground = new PositionedYaml(text.slice(bom.length));
  let waiting: YamlSplice[] = [];
  let kind: YamlEdit["kind"] | undefined;
  const settle = (): void => {
    if (waiting.length > 0) ground = new PositionedYaml(applySplices(ground.text, waiting));
    waiting = [];
  };
  const isMet = (splice: YamlSplice): boolean =>
    waiting.some((other) => splice.from <= other.to && other.from <= splice.to);
  for (const edit of edits) {
    if (edit.kind !== kind || edit.kind === "move") settle();
    kind = edit.kind;
    let splices = createEditSplices(ground, edit);
    if (waiting.length > 0 && (!splices || splices.some(isMet))) {
      settle();
      splices = createEditSplices(ground, edit);
    }
    waiting.push(...(splices ?? []));
  }
  settle();
  return bom + ground.text;
}

function createEditSplices(ground: PositionedYaml, edit: YamlEdit): readonly YamlSplice[] | undefined {
  if (edit.kind === "move") return createMoveSplices(ground, edit.from, edit.to);
  const spot = ground.at(edit.at);
  if (!spot) return undefined;
  switch (edit.kind) {
    case "remove": {
      const parent = ground.at(edit.at.slice(0, -1));
      if (!spot.entry || !parent) return undefined;
      return createCutSplices(ground, parent, spot.entry, cutYamlEntry(ground, spot, spot.entry));
    }
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
  const isQuoted = isScalar(node) && node.type === "QUOTE_DOUBLE";
  const inline = isInFlow ? formatBracketedValue(value) : formatInlineValue(value, isQuoted);
  const isSingleLine = isInFlow || typeof value !== "object" || value === null;
  const fresh = isSingleLine
    ? { text: isThere ? inline : ` ${inline}`, isOwnLine: false }
    : formatMultiLineValue(ground, spot, value, isThere);
  const start = fresh.isOwnLine ? opening : from;
  const comments = ground.commentsWithin(start, to);
  return [...createCommentSplices(ground, opening, comments), { from: start, to, text: fresh.text }];
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
    : pasteIntoMapping(ground, ground.root, key, cut, String(to[0]));
  return paste && goes && [...goes, paste];
}

type YamlCut = ReturnType<typeof cutYamlEntry>;

function cutYamlEntry(ground: PositionedYaml, { node, isInFlow }: YamlPosition, entry: YamlPair) {
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
  let from = start;
  while (from > 0 && /^ *#/.test(ground.text.slice(ground.lineStart(from - 1), from)))
    from = ground.lineStart(from - 1);
  const above = ground.text.slice(from, start);
  const behindKey = ground.text.slice(key[1], end).replace(/(?:\r?\n)?$/, "\n");
  return { from, to: end, lines: { above, behindKey, indent }, value, comments: [] };
}

function createCutSplices(ground: PositionedYaml, parent: YamlPosition, entry: YamlPair, cut: YamlCut) {
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
function createEmptyParentSplices(ground: PositionedYaml, parent: YamlPosition, cut: YamlCut) {
  if (!parent.entry || parent.isInFlow) return undefined;
  const key = parent.entry.key.range[0];
  const start = ground.lineStart(key);
  if (ground.text.slice(start, key).trim() !== "") return undefined;
  const end = ground.endOf(parent.entry);
  const kept = ground.commentsWithin(start, cut.lines ? cut.from : end);
  const indent = " ".repeat(ground.column(key));
  return [{ from: start, to: cut.lines ? cut.to : end, text: kept.map((comment) => `${indent}${comment}\n`).join("") }];
}

/** Pastes to the end of a mapping. With `parent`, that key with a new mapping is made first. */
function pasteIntoMapping(
  ground: PositionedYaml,
  node: ParsedYamlNode | null,
  key: string,
  cut: YamlCut,
  parent?: string,
): YamlSplice | undefined {
  if (!isMap(node)) return undefined;
  const items = node.items as readonly YamlPair[];
  const last = items.at(-1);
  if (isFlowCollection(node) || !last || !items[0]) {
    if (parent !== undefined) return undefined;
    const end = last ? ground.contentEnd(last.value, last.key.range[1]) : node.range[0] + 1;
    return { from: end, to: end, text: `${last ? ", " : ""}${key}: ${formatBracketedValue(cut.value)}` };
  }
  const indent = ground.column(items[0].key.range[0]);
  const lines =
    parent === undefined
      ? formatPastedLines(key, cut, indent)
      : `${" ".repeat(indent)}${parent}:\n${formatPastedLines(key, cut, indent + 2)}`;
  return createAppendSplice(ground, ground.endOf(last), lines);
}

function formatPastedLines(key: string, { lines, value }: YamlCut, indent: number): string {
  if (!lines) return `${" ".repeat(indent)}${formatBlockValue({ [key]: value }, indent)}\n`;
  const spaces = " ".repeat(Math.max(0, indent - lines.indent));
  const surplus = new RegExp(`^ {0,${Math.max(0, lines.indent - indent)}}`);
  return `${lines.above}${" ".repeat(lines.indent)}${key}${lines.behindKey}`
    .split("\n")
    .map((line) => (line.trim() === "" ? line : `${spaces}${line.replace(surplus, "")}`))
    .join("\n");
}

type YamlSplice = ReturnType<typeof createAppendSplice>;

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

function createAppendSplice(ground: PositionedYaml, end: number, lines: string) {
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
