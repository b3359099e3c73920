import type { Tree } from "web-tree-sitter";
import { type Vocabulary, vocabularyOf } from "./vocabulary.ts";

/** The position of a node in the rows, in text order. The nodes inside a node follow it directly. */
export type Place = number;
export const NONE: Place = -1;

/** One number per node in each row. The rows are reused for the next file. */
class Rows {
  type = new Uint16Array(4096);
  field = new Uint16Array(4096);
  start = new Int32Array(4096);
  end = new Int32Array(4096);
  parent = new Int32Array(4096);
  next = new Int32Array(4096);

  grow(): void {
    this.type = grown(this.type, new Uint16Array(this.type.length * 2));
    this.field = grown(this.field, new Uint16Array(this.field.length * 2));
    this.start = grown(this.start, new Int32Array(this.start.length * 2));
    this.end = grown(this.end, new Int32Array(this.end.length * 2));
    this.parent = grown(this.parent, new Int32Array(this.parent.length * 2));
    this.next = grown(this.next, new Int32Array(this.next.length * 2));
  }
}

function grown<T extends Uint16Array | Int32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

const rows = new Rows();

/**
 * Source code with its syntax tree as rows of numbers. Every call to a tree-sitter node crosses into WebAssembly, so
 * one walk copies the few facts each node needs; every later question is an array access. Valid only until the next
 * file is read.
 */
export class Code {
  readonly text: string;
  readonly words: Vocabulary;
  readonly isWhole: boolean;
  readonly count: number;
  readonly #rows = rows;

  constructor(text: string, words: Vocabulary, isWhole: boolean, count: number) {
    this.text = text;
    this.words = words;
    this.isWhole = isWhole;
    this.count = count;
  }

  typeId(node: Place): number {
    return this.#rows.type[node] ?? 0;
  }

  type(node: Place): string {
    return this.words.types[this.#rows.type[node] ?? -1] ?? "";
  }

  isNamed(node: Place): boolean {
    return this.words.isNamed[this.#rows.type[node] ?? -1] === 1;
  }

  isComment(node: Place): boolean {
    return this.words.isComment[this.#rows.type[node] ?? -1] === 1;
  }

  start(node: Place): number {
    return this.#rows.start[node] ?? 0;
  }

  end(node: Place): number {
    return this.#rows.end[node] ?? 0;
  }

  parent(node: Place): Place {
    return node < 0 ? NONE : (this.#rows.parent[node] ?? NONE);
  }

  /** The first node after this one that is not inside it. */
  next(node: Place): Place {
    return this.#rows.next[node] ?? 0;
  }

  isLeaf(node: Place): boolean {
    return this.#rows.next[node] === node + 1;
  }

  /** Whether the node has this field name in its parent: `isField(node, "value")`. Only named nodes have one. */
  isField(node: Place, field: string): boolean {
    return this.#rows.field[node] === this.words.fields.get(field);
  }

  said(node: Place): string {
    return node === NONE ? "" : this.text.slice(this.start(node), this.end(node));
  }

  child(node: Place, field: string): Place {
    const id = this.words.fields.get(field);
    if (node === NONE || id === undefined) return NONE;
    for (let at = node + 1, after = this.next(node); at < after; at = this.next(at))
      if (this.#rows.field[at] === id && !this.isComment(at)) return at;
    return NONE;
  }

  /** The first child of one of these types, tokens included: `childOf(node, "static")`. */
  childOf(node: Place, ...types: readonly string[]): Place {
    if (node === NONE) return NONE;
    for (let at = node + 1, after = this.next(node); at < after; at = this.next(at))
      if (types.includes(this.type(at))) return at;
    return NONE;
  }

  has(node: Place, ...types: readonly string[]): boolean {
    return this.childOf(node, ...types) !== NONE;
  }

  /** The named children, without comments. */
  children(node: Place): Place[] {
    const found: Place[] = [];
    if (node === NONE) return found;
    for (let at = node + 1, after = this.next(node); at < after; at = this.next(at))
      if (this.isNamed(at) && !this.isComment(at)) found.push(at);
    return found;
  }
}

/** Reads a tree in one walk; undefined after the deadline. Not recursive: a tree may be as deep as its text is long. */
export function codeOf(tree: Tree, text: string, deadline: number): Code | undefined {
  const words = vocabularyOf(tree.language);
  const cursor = tree.walk();
  const unknown = words.types.length - 1;
  let [count, parent] = [0, NONE];
  try {
    for (;;) {
      if (count % 1024 === 0 && performance.now() > deadline) return undefined;
      if (count === rows.type.length) rows.grow();
      const id = Math.min(cursor.nodeTypeId, unknown);
      const isNamed = words.isNamed[id] === 1;
      rows.type[count] = id;
      rows.start[count] = cursor.startIndex;
      rows.end[count] = cursor.endIndex;
      rows.field[count] = isNamed ? cursor.currentFieldId : 0;
      rows.parent[count] = parent;
      const here = count++;
      if (isNamed && words.isComment[id] === 0 && cursor.gotoFirstChild()) {
        parent = here;
        continue;
      }
      rows.next[here] = count;
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return new Code(text, words, !tree.rootNode.hasError, count);
        rows.next[parent] = count;
        parent = rows.parent[parent] ?? NONE;
      }
    }
  } finally {
    cursor.delete();
  }
}
