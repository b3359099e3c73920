import { isMap, isScalar, isSeq, Lexer, type Pair, type ParsedNode, parseDocument, type Scalar } from "yaml";
import type { YamlPath } from "../model/yaml-tree.ts";

export type ParsedYamlNode = ParsedNode;
export type YamlPair = Pair<ParsedNode, ParsedNode | null>;

export interface YamlPosition {
  readonly node: ParsedYamlNode | null;
  readonly entry?: YamlPair;
  /** The offset after the colon or the dash. */
  readonly opening: number;
  readonly isInFlow: boolean;
}

export class PositionedYaml {
  readonly text: string;
  readonly root: ParsedYamlNode | null;
  readonly #comments: readonly { readonly offset: number; readonly text: string }[];

  constructor(text: string) {
    this.text = text;
    this.root = parseDocument(text, { uniqueKeys: false, keepSourceTokens: true, logLevel: "silent" }).contents;
    this.#comments = [...listYamlComments(text)];
  }

  at(place: YamlPath): YamlPosition | undefined {
    let spot: YamlPosition = { node: this.root, opening: 0, isInFlow: false };
    for (const step of place) {
      const next: YamlPosition | undefined = findInnerPosition(spot, step);
      if (!next) return undefined;
      spot = next;
    }
    return spot;
  }

  commentsWithin(from: number, to: number): string[] {
    return this.#comments.filter(({ offset }) => offset >= from && offset < to).map(({ text }) => text);
  }

  lineStart(offset: number): number {
    return this.text.lastIndexOf("\n", offset - 1) + 1;
  }

  column(offset: number): number {
    return offset - this.lineStart(offset);
  }

  /** The end of the lines of an entry. Text after them belongs to the next entry. */
  endOf(entry: YamlPair): number {
    const end = this.contentEnd(entry.value, findValueOpening(entry));
    if (end > 0 && this.text.charAt(end - 1) === "\n") return end;
    const lineEnd = this.text.indexOf("\n", end);
    return lineEnd < 0 ? this.text.length : lineEnd + 1;
  }

  /** The end of a value, without a comment behind it. */
  contentEnd(node: ParsedYamlNode | null, opening: number): number {
    if (node === null || node.range[0] === node.range[1]) return opening;
    if (isFlowCollection(node) || isScalar(node)) return node.range[1];
    const last = isMap(node) ? node.items.at(-1) : undefined;
    if (last) return this.contentEnd(last.value, findValueOpening(last));
    const item = isSeq(node) ? node.items.length - 1 : -1;
    if (!isSeq(node) || item < 0) return node.range[1];
    return this.contentEnd(node.items[item] as ParsedYamlNode | null, findDashEnd(node, item));
  }
}

function findInnerPosition({ node, isInFlow }: YamlPosition, step: string | number): YamlPosition | undefined {
  const within = { isInFlow: isInFlow || isFlowCollection(node) };
  if (typeof step === "string") {
    const entry = isMap(node) ? node.items.find(({ key }) => readKeyText(key) === step) : undefined;
    return entry && { node: entry.value, entry, opening: findValueOpening(entry), ...within };
  }
  if (!isSeq(node) || step >= node.items.length) return undefined;
  return { node: node.items[step] as ParsedYamlNode | null, opening: findDashEnd(node, step), ...within };
}

export const isFlowCollection = (node: ParsedYamlNode | null): boolean =>
  (isMap(node) || isSeq(node)) && node.flow === true;

const readKeyText = (key: ParsedNode): string | undefined => {
  if (!isScalar(key)) return undefined;
  const { value, source } = key as Scalar;
  return typeof value === "string" ? value : source;
};

interface YamlToken {
  readonly type: string;
  readonly offset: number;
}

function findValueOpening({ key, srcToken }: YamlPair): number {
  const colon = (srcToken?.sep as readonly YamlToken[] | undefined)?.find(({ type }) => type === "map-value-ind");
  return colon ? colon.offset + 1 : key.range[1];
}

function findDashEnd(node: object, i: number): number {
  const { srcToken } = node as { srcToken?: { items: readonly { start: readonly YamlToken[] }[] } };
  const dash = srcToken?.items[i]?.start.find(({ type }) => type === "seq-item-ind");
  return dash ? dash.offset + 1 : 0;
}

/** Control characters of the lexer that are not in the text. */
const LEXER_SCALAR_MARK = "\u001f";
const LEXER_MARKS = new Set(["\u0002", "\u0018", LEXER_SCALAR_MARK]);

function* listYamlComments(text: string): Generator<{ readonly offset: number; readonly text: string }> {
  let offset = 0;
  let before = "";
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith("#") && before !== LEXER_SCALAR_MARK) yield { offset, text: lexeme.trimEnd() };
    if (!LEXER_MARKS.has(lexeme)) offset += lexeme.length;
    before = lexeme;
  }
}
