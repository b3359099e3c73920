import { isMap } from "yaml";
import type { YamlPath, YamlValue } from "#domain/spec/yaml/located.ts";
import {
  type YamlPair,
  type PositionedYaml,
  isFlowCollection,
  type ParsedYamlNode,
  type YamlPosition,
} from "./ground.ts";
import { createAppendSplice, createCommentSplices, type YamlSplice } from "./splice.ts";
import { formatBlockValue, formatBracketedValue, reindentLines } from "./write.ts";

export function createMoveSplices(ground: PositionedYaml, from: YamlPath, to: YamlPath): YamlSplice[] | undefined {
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

export function createRemoveSplices(ground: PositionedYaml, at: YamlPath): YamlSplice[] | undefined {
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
