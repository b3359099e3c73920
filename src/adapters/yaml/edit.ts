import { isMap, isScalar } from "yaml";
import type { YamlEdit } from "#domain/spec/yaml/edit.ts";
import { type Entry, Ground, isFlow, type Spot } from "./ground.ts";
import { moveSplices, removeSplices } from "./move.ts";
import { appended, carried, type Splice, spliced } from "./splice.ts";
import { bracketed, block, inline } from "./write.ts";

/** Applies the edits in order. Edits that do not overlap share one parse of the text. */
export function editText(text: string, edits: readonly YamlEdit[]): string {
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  return bom + new Editing(text.slice(bom.length)).all(edits);
}

class Editing {
  #ground: Ground;
  #waiting: Splice[] = [];
  #kind: YamlEdit["kind"] | undefined;

  constructor(text: string) {
    this.#ground = new Ground(text);
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

  #tried(edit: YamlEdit): readonly Splice[] | undefined {
    const splices = splicesOf(this.#ground, edit);
    const meets = (splice: Splice): boolean =>
      this.#waiting.some((other) => splice.from <= other.to && other.from <= splice.to);
    if (this.#waiting.length === 0 || (splices && !splices.some(meets))) return splices;
    this.#settle();
    return splicesOf(this.#ground, edit);
  }

  #settle(): void {
    if (this.#waiting.length === 0) return;
    this.#ground = new Ground(spliced(this.#ground.text, this.#waiting));
    this.#waiting = [];
  }
}

function splicesOf(ground: Ground, edit: YamlEdit): readonly Splice[] | undefined {
  if (edit.kind === "move") return moveSplices(ground, edit.from, edit.to);
  if (edit.kind === "remove") return removeSplices(ground, edit.at);
  const spot = ground.at(edit.at);
  if (!spot) return undefined;
  switch (edit.kind) {
    case "rename": {
      const range = spot.entry?.key.range;
      return range && [{ from: range[0], to: range[1], text: edit.to }];
    }
    case "replace":
      return replaceSplices(ground, spot, edit.value);
    case "insert":
      return insertSplices(ground, spot, edit);
  }
}

function replaceSplices(ground: Ground, spot: Spot, value: Extract<YamlEdit, { kind: "replace" }>["value"]): Splice[] {
  const { node, opening, isInFlow } = spot;
  const isThere = node !== null && node.range[0] < node.range[1];
  const from = isThere ? node.range[0] : opening;
  const end = ground.contentEnd(node, opening);
  // A block scalar includes its last line break, which stays.
  const to = isThere ? from + ground.text.slice(from, end).replace(/\r?\n$/, "").length : end;
  const fresh =
    isInFlow || typeof value !== "object" || value === null
      ? one(spot, value, isThere)
      : several(ground, spot, value, isThere);
  const start = fresh.isOwnLine ? opening : from;
  const comments = ground.commentsWithin(start, to);
  return [...carried(ground, opening, comments), { from: start, to, text: fresh.text }];
}

function one({ node, isInFlow }: Spot, value: Parameters<typeof inline>[0], isThere: boolean) {
  const isQuoted = isScalar(node) && node.type === "QUOTE_DOUBLE";
  const text = isInFlow ? bracketed(value) : inline(value, isQuoted);
  return { text: isThere ? text : ` ${text}`, isOwnLine: false };
}

function several(ground: Ground, { entry, node, opening }: Spot, value: Parameters<typeof block>[0], isThere: boolean) {
  const isApart = isThere && node !== null && ground.lineStart(node.range[0]) !== ground.lineStart(opening);
  if (isApart) return { text: block(value, ground.column(node.range[0])), isOwnLine: false };
  if (!entry) {
    const indent = isThere && node ? ground.column(node.range[0]) : ground.column(opening) + 1;
    return { text: `${isThere ? "" : " "}${block(value, indent)}`, isOwnLine: false };
  }
  const indent = ground.column(entry.key.range[0]) + 2;
  return { text: `\n${" ".repeat(indent)}${block(value, indent)}`, isOwnLine: true };
}

function insertSplices(
  ground: Ground,
  { node }: Spot,
  edit: Extract<YamlEdit, { kind: "insert" }>,
): Splice[] | undefined {
  if (!isMap(node)) return undefined;
  const items = node.items as readonly Entry[];
  const [first, last] = [items[0], items.at(-1)];
  if (isFlow(node) || !first || !last) {
    const written = `${edit.key}: ${bracketed(edit.value)}`;
    const open = node.range[0] + 1;
    if (!first || !last) return [{ from: open, to: open, text: written }];
    if (edit.isFirst) return [{ from: open, to: open, text: `${written}, ` }];
    const end = ground.contentEnd(last.value, last.key.range[1]);
    return [{ from: end, to: end, text: `, ${written}` }];
  }
  const indent = ground.column(first.key.range[0]);
  const written = block({ [edit.key]: edit.value }, indent);
  if (edit.isFirst) {
    const start = first.key.range[0];
    return [{ from: start, to: start, text: `${written}\n${" ".repeat(indent)}` }];
  }
  return [appended(ground, ground.endOf(last), `${" ".repeat(indent)}${written}\n`)];
}
