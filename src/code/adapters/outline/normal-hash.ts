import { createHash } from "node:crypto";
import { memoizeByObject, NO_NODE } from "../syntax/parsed-code.ts";
import type { GrammarVocabulary, NodeIndex, ParsedCode } from "../syntax/parsed-code.ts";
import { findPreviousSibling } from "./component-finder.ts";
import { indexTableByType, flagNodeTypes, type NormalForm } from "./language-outline.ts";

export interface HashRoot {
  /** All its nodes in file order: annotations, earlier overloads, the component itself. */
  readonly nodes: readonly NodeIndex[];
  readonly words: string;
}

const getNormalRules = memoizeByObject((words: GrammarVocabulary, normal: NormalForm) => ({
  isThrough: flagNodeTypes(words, normal.through),
  isLoose: flagNodeTypes(words, normal.loose),
  keepsLoose: flagNodeTypes(words, normal.keepsLoose),
  keepsComma: flagNodeTypes(words, normal.keepsComma),
  isBare: flagNodeTypes(words, normal.bare),
  isParted: flagNodeTypes(words, normal.parted),
  comma: flagNodeTypes(words, [","]),
  opens: flagNodeTypes(words, ["(", "[", "{", "<", "|", "&"]),
  closes: flagNodeTypes(words, [")", "]", "}", ">", "|"]),
  // By name, because type numbers differ between versions of a grammar.
  marks: words.types.map((type) => `\u0001${normal.same?.[type] ?? type}\u0002`),
  as: indexTableByType(words, normal.as),
  special: indexTableByType(words, normal.special),
}));
type NormalRules = ReturnType<typeof getNormalRules>;

const NODE_END = "\u0003";
const TOKEN_START = "\u0004";

export const hashNormalText = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** Hashes all components in one pass: an outer one includes its inner ones by their hashes. Roots are in file order. */
export function hashComponents(
  code: ParsedCode,
  normal: NormalForm,
  roots: readonly HashRoot[],
  skipped: ReadonlySet<NodeIndex>,
): string[] {
  const rules = getNormalRules(code.words, normal);
  const writer = new NormalFormWriter(code, rules, skipped);
  const hashes = roots.map(() => "");
  const byMain = Map.groupBy(roots.keys(), (at) => roots[at]?.nodes.at(-1) ?? NO_NODE);
  const open: { readonly all: number[]; readonly end: NodeIndex; readonly outer: string; readonly depth: number }[] =
    [];
  const close = (node: NodeIndex): void => {
    for (let last = open.at(-1); last !== undefined && last.end <= node; last = open.at(-1)) {
      writer.closeTo(last.depth);
      open.pop();
      // Many components may share one declaration; their common text is hashed once.
      const text = last.all.length === 1 ? writer.text : hashNormalText(writer.text);
      for (const at of last.all) {
        const before = (roots[at]?.nodes.slice(0, -1) ?? []).map((each) => writer.alone(each)).join("");
        hashes[at] = hashNormalText(`${roots[at]?.words ?? ""}${TOKEN_START}${before}${text}`);
      }
      const [first = 0] = last.all;
      writer.text = open.length === 0 ? "" : last.outer + TOKEN_START + (hashes[first] ?? "");
    }
  };
  for (let node = 0; node < code.count;) {
    close(node);
    const all = byMain.get(node);
    if (all !== undefined) {
      writer.closeUpTo(node);
      open.push({ all, end: code.next(node), outer: writer.text, depth: writer.depth });
      writer.text = "";
    }
    node = open.length === 0 ? node + 1 : writer.write(node);
  }
  close(code.count);
  return hashes;
}

class NormalFormWriter {
  text = "";
  readonly #code: ParsedCode;
  readonly #rules: NormalRules;
  readonly #skipped: ReadonlySet<NodeIndex>;
  readonly #ends: NodeIndex[] = [];
  readonly #held = new Set<NodeIndex>();

  constructor(code: ParsedCode, rules: NormalRules, skipped: ReadonlySet<NodeIndex>) {
    this.#code = code;
    this.#rules = rules;
    this.#skipped = skipped;
  }

  get depth(): number {
    return this.#ends.length;
  }

  closeTo(depth: number): void {
    for (; this.#ends.length > depth; this.#ends.pop()) this.text += NODE_END;
  }

  closeUpTo(node: NodeIndex): void {
    while ((this.#ends.at(-1) ?? Number.POSITIVE_INFINITY) <= node) this.closeTo(this.depth - 1);
  }

  alone(node: NodeIndex): string {
    const [held, ends] = [this.text, this.#ends.splice(0)];
    this.text = "";
    const after = this.#code.next(node);
    for (let at = node; at < after;) at = this.write(at);
    this.closeUpTo(after);
    const written = this.text;
    this.text = held;
    this.#ends.push(...ends);
    return written;
  }

  write(node: NodeIndex): NodeIndex {
    const code = this.#code;
    const rules = this.#rules;
    this.closeUpTo(node);
    const id = code.typeId(node);
    if (code.isComment(node) || this.#skipped.has(node)) return code.next(node);
    const as = rules.as[id]?.(code, node);
    if (as !== undefined) {
      this.text += TOKEN_START + as;
      return code.next(node);
    }
    const special = rules.special[id]?.(code, node);
    if (special === "skip") return code.next(node);
    if (special === "through" || rules.isThrough[id] === 1) {
      this.#held.add(node);
      return node + 1;
    }
    if (!code.isNamed(node)) {
      if (!this.#isDropped(node, id)) this.text += TOKEN_START + code.said(node);
    } else if (code.isLeaf(node)) {
      this.text += (rules.marks[id] ?? "") + code.said(node) + NODE_END;
    } else {
      this.text += rules.marks[id] ?? "";
      this.#ends.push(code.next(node));
    }
    return node + 1;
  }

  #isDropped(node: NodeIndex, id: number): boolean {
    const code = this.#code;
    const rules = this.#rules;
    const parent = code.parent(node);
    const around = code.typeId(parent);
    if (this.#held.has(parent)) return true;
    if (rules.isLoose[id] === 1) return rules.keepsLoose[around] === 0;
    if (rules.opens[id] === 1 || rules.closes[id] === 1) return rules.isBare[around] === 1;
    if (rules.comma[id] === 1 && rules.isParted[around] === 1) return true;
    if (rules.comma[id] !== 1 || !this.#isLast(node, parent)) return false;
    return rules.keepsComma[around] === 0 || code.childOf(parent, ",") !== node;
  }

  /** Whether only a closing bracket or nothing follows. A comma after a comma or an opening bracket has a meaning. */
  #isLast(node: NodeIndex, parent: NodeIndex): boolean {
    const code = this.#code;
    const rules = this.#rules;
    let after = code.next(node);
    const end = code.next(parent);
    while (after < end && code.isComment(after)) after = code.next(after);
    if (after < end && rules.closes[code.typeId(after)] !== 1) return false;
    let before = findPreviousSibling(code, node);
    while (before !== NO_NODE && code.isComment(before)) before = findPreviousSibling(code, before);
    const type = code.typeId(before);
    return before !== NO_NODE && rules.comma[type] !== 1 && rules.opens[type] !== 1;
  }
}

/** Removes escapes that only protect a quote: `it\'s` is `it's`. */
export const unescapeQuotes = (inner: string): string =>
  inner.includes("\\")
    ? inner.replace(/\\([\s\S])/g, (whole, letter: string) => (letter === '"' || letter === "'" ? letter : whole))
    : inner;
