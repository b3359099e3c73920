import type { Tree, Language } from "web-tree-sitter";

/** The position of a node in the rows, in text order. The nodes inside a node follow it directly. */
export type NodeIndex = number;
export const NO_NODE: NodeIndex = -1;

export const LONGEST_NODE_NAME = 300;
const LONGEST_SHOWN_DECLARATION = 200;

/** One number per node in each row. The rows are reused for the next file. */
class NodeRows {
  type = new Uint16Array(4096);
  field = new Uint16Array(4096);
  start = new Int32Array(4096);
  end = new Int32Array(4096);
  parent = new Int32Array(4096);
  next = new Int32Array(4096);

  grow(): void {
    const length = this.type.length * 2;
    for (const row of ["type", "field"] as const) {
      const old = this[row];
      this[row] = new Uint16Array(length);
      this[row].set(old);
    }
    for (const row of ["start", "end", "parent", "next"] as const) {
      const old = this[row];
      this[row] = new Int32Array(length);
      this[row].set(old);
    }
  }
}

const sharedNodeRows = new NodeRows();

/** A tree as rows of numbers: every call to a tree-sitter node crosses into WebAssembly. Valid until the next file. */
export class ParsedCode {
  readonly text: string;
  readonly words: GrammarVocabulary;
  readonly isWhole: boolean;
  readonly count: number;
  readonly #rows = sharedNodeRows;

  constructor(text: string, words: GrammarVocabulary, isWhole: boolean, count: number) {
    this.text = text;
    this.words = words;
    this.isWhole = isWhole;
    this.count = count;
  }

  typeId(node: NodeIndex): number {
    return this.#rows.type[node] ?? 0;
  }

  type(node: NodeIndex): string {
    return this.words.types[this.#rows.type[node] ?? -1] ?? "";
  }

  isNamed(node: NodeIndex): boolean {
    return this.words.isNamed[this.#rows.type[node] ?? -1] === 1;
  }

  isComment(node: NodeIndex): boolean {
    return this.words.isComment[this.#rows.type[node] ?? -1] === 1;
  }

  start(node: NodeIndex): number {
    return this.#rows.start[node] ?? 0;
  }

  end(node: NodeIndex): number {
    return this.#rows.end[node] ?? 0;
  }

  parent(node: NodeIndex): NodeIndex {
    return node < 0 ? NO_NODE : (this.#rows.parent[node] ?? NO_NODE);
  }

  next(node: NodeIndex): NodeIndex {
    return this.#rows.next[node] ?? 0;
  }

  isLeaf(node: NodeIndex): boolean {
    return this.#rows.next[node] === node + 1;
  }

  /** Whether the node has this field name in its parent: `isField(node, "value")`. Only named nodes have one. */
  isField(node: NodeIndex, field: string): boolean {
    return this.#rows.field[node] === this.words.fields.get(field);
  }

  said(node: NodeIndex): string {
    return node === NO_NODE ? "" : this.text.slice(this.start(node), this.end(node));
  }

  /** The text of a node without whitespace; empty if it is long. */
  compact(node: NodeIndex): string {
    if (this.end(node) - this.start(node) > LONGEST_NODE_NAME) return "";
    return this.said(node)
      .replace(/\s+/g, "")
      .replace(/\?(?=\.|->)/g, "");
  }

  short(node: NodeIndex): string {
    return this.text.slice(this.start(node), Math.min(this.end(node), this.start(node) + LONGEST_NODE_NAME));
  }

  /** A value that a signature leaves out because its declaration is long; none for a short one. */
  longValue(node: NodeIndex, value: NodeIndex): NodeIndex {
    return this.end(node) - this.start(node) > LONGEST_SHOWN_DECLARATION ? value : NO_NODE;
  }

  fieldText(node: NodeIndex, field: string): string {
    return this.said(this.child(node, field));
  }

  compactField(node: NodeIndex, field: string): string {
    return this.compact(this.child(node, field));
  }

  child(node: NodeIndex, field: string): NodeIndex {
    const id = this.words.fields.get(field);
    if (node === NO_NODE || id === undefined) return NO_NODE;
    for (let at = node + 1, after = this.next(node); at < after; at = this.next(at))
      if (this.#rows.field[at] === id && !this.isComment(at)) return at;
    return NO_NODE;
  }

  childOf(node: NodeIndex, ...types: readonly string[]): NodeIndex {
    if (node === NO_NODE) return NO_NODE;
    for (let at = node + 1, after = this.next(node); at < after; at = this.next(at))
      if (types.includes(this.type(at))) return at;
    return NO_NODE;
  }

  has(node: NodeIndex, ...types: readonly string[]): boolean {
    return this.childOf(node, ...types) !== NO_NODE;
  }

  /** The first named children, without comments. A body may have a hundred thousand of them. */
  children(node: NodeIndex, most = Number.POSITIVE_INFINITY): NodeIndex[] {
    const found: NodeIndex[] = [];
    if (node === NO_NODE) return found;
    for (let at = node + 1, after = this.next(node); at < after && found.length < most; at = this.next(at))
      if (this.isNamed(at) && !this.isComment(at)) found.push(at);
    return found;
  }
}

/** Reads a tree in one walk; undefined beyond the budget. Not recursive: a tree may be as deep as its text is long. */
export function readParsedCode(tree: Tree, text: string, exceedsBudget: () => boolean): ParsedCode | undefined {
  const words = getGrammarVocabulary(tree.language);
  const cursor = tree.walk();
  const unknown = words.types.length - 1;
  let [count, parent] = [0, NO_NODE];
  try {
    for (;;) {
      if (count % 1024 === 0 && exceedsBudget()) return undefined;
      if (count === sharedNodeRows.type.length) sharedNodeRows.grow();
      const id = Math.min(cursor.nodeTypeId, unknown);
      const isNamed = words.isNamed[id] === 1;
      sharedNodeRows.type[count] = id;
      sharedNodeRows.start[count] = cursor.startIndex;
      sharedNodeRows.end[count] = cursor.endIndex;
      sharedNodeRows.field[count] = isNamed ? cursor.currentFieldId : 0;
      sharedNodeRows.parent[count] = parent;
      const here = count++;
      if (isNamed && words.isComment[id] === 0 && cursor.gotoFirstChild()) {
        parent = here;
        continue;
      }
      sharedNodeRows.next[here] = count;
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return new ParsedCode(text, words, !tree.rootNode.hasError, count);
        sharedNodeRows.next[parent] = count;
        parent = sharedNodeRows.parent[parent] ?? NO_NODE;
      }
    }
  } finally {
    cursor.delete();
  }
}

const COMMENT_NODE_TYPE = /^(?:line_|block_|html_)?comment$/;

/** Node types and fields of a grammar, read once so that a walk works with numbers only. */
export interface GrammarVocabulary {
  /** By number. The last entry is for parse errors. */
  readonly types: readonly string[];
  readonly isNamed: Uint8Array;
  readonly isComment: Uint8Array;
  readonly fields: ReadonlyMap<string, number>;
}

const getGrammarVocabulary = memoizeByObject((language: Language): GrammarVocabulary => {
  const types = [...language.types, "ERROR"].map((type) => type ?? "");
  const flags = (test: (type: string, id: number) => boolean): Uint8Array =>
    Uint8Array.from(types, (type, id) => Number(test(type, id)));
  return {
    types,
    isNamed: flags((_, id) => id >= language.types.length || language.nodeTypeIsNamed(id)),
    isComment: flags((type, id) => COMMENT_NODE_TYPE.test(type) && language.nodeTypeIsNamed(id)),
    fields: new Map(language.fields.flatMap((name, id) => (name === null ? [] : [[name, id] as const]))),
  };
});

/** Keeps a result as long as the object it is made for. */
export function memoizeByObject<Key extends WeakKey, Rest extends readonly unknown[], Value extends object>(
  make: (key: Key, ...rest: Rest) => Value,
): (key: Key, ...rest: Rest) => Value {
  const known = new WeakMap<Key, Value>();
  return (key, ...rest) => {
    const found = known.get(key) ?? make(key, ...rest);
    known.set(key, found);
    return found;
  };
}

/** Keeps a result for each node as long as the parsed code. */
export function memoizeByNode<Value extends object>(
  make: (code: ParsedCode, node: NodeIndex) => Value,
): (code: ParsedCode, node: NodeIndex) => Value {
  const known = new WeakMap<ParsedCode, Map<NodeIndex, Value>>();
  return (code, node) => {
    const nodes = known.get(code) ?? new Map<NodeIndex, Value>();
    const found = nodes.get(node) ?? make(code, node);
    known.set(code, nodes.set(node, found));
    return found;
  };
}
