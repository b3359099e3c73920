import { isMap, isScalar } from "yaml";
import type { YamlEdit } from "#domain/spec/yaml/edit.ts";
import { type YamlPair, PositionedYaml, isFlowCollection, type YamlPosition } from "./ground.ts";
import { createMoveSplices, createRemoveSplices } from "./move.ts";
import { createAppendSplice, createCommentSplices, type YamlSplice, applySplices } from "./splice.ts";
import { formatBracketedValue, formatBlockValue, formatInlineValue } from "./write.ts";

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
