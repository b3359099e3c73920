import { createHash } from "node:crypto";
import { type Code, NONE, type Place } from "../code.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { siblingBefore } from "./before.ts";
import { byId, idsOf } from "./by-type.ts";
import type { NormalForm } from "./language.ts";

export interface Root {
  /** All its nodes in file order: annotations, earlier overloads, the component itself. */
  readonly nodes: readonly Place[];
  readonly words: string;
}

interface Rules {
  readonly isThrough: Uint8Array;
  readonly isLoose: Uint8Array;
  readonly keepsLoose: Uint8Array;
  readonly keepsComma: Uint8Array;
  readonly isBare: Uint8Array;
  readonly isParted: Uint8Array;
  readonly comma: Uint8Array;
  readonly opens: Uint8Array;
  readonly closes: Uint8Array;
  readonly marks: readonly string[];
  readonly as: readonly (((code: Code, node: Place) => string | undefined) | undefined)[];
  readonly special: readonly (((code: Code, node: Place) => "skip" | "through" | undefined) | undefined)[];
}

const known = new WeakMap<Vocabulary, Rules>();

function rulesOf(words: Vocabulary, normal: NormalForm): Rules {
  const found = known.get(words);
  if (found !== undefined) return found;
  const made: Rules = {
    isThrough: idsOf(words, normal.through),
    isLoose: idsOf(words, normal.loose),
    keepsLoose: idsOf(words, normal.keepsLoose),
    keepsComma: idsOf(words, normal.keepsComma),
    isBare: idsOf(words, normal.bare),
    isParted: idsOf(words, normal.parted),
    comma: idsOf(words, [","]),
    opens: idsOf(words, ["(", "[", "{", "<", "|", "&"]),
    closes: idsOf(words, [")", "]", "}", ">", "|"]),
    // By name, because type numbers differ between versions of a grammar.
    marks: words.types.map((type) => `\u0001${normal.same?.[type] ?? type}\u0002`),
    as: byId(words, normal.as),
    special: byId(words, normal.special),
  };
  known.set(words, made);
  return made;
}

const END = "\u0003";
const NEXT = "\u0004";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

/** Hashes all components in one pass: an outer one includes its inner ones by their hashes. Roots are in file order. */
export function hashesOf(
  code: Code,
  normal: NormalForm,
  roots: readonly Root[],
  skipped: ReadonlySet<Place>,
): string[] {
  const rules = rulesOf(code.words, normal);
  const writer = new Writer(code, rules, skipped);
  const hashes = roots.map(() => "");
  const byMain = new Map<Place, number[]>();
  for (const [at, { nodes }] of roots.entries()) {
    const main = nodes.at(-1) ?? NONE;
    const same = byMain.get(main);
    if (same === undefined) byMain.set(main, [at]);
    else same.push(at);
  }
  const open: {
    readonly all: readonly number[];
    readonly end: Place;
    readonly outer: string;
    readonly depth: number;
  }[] = [];
  const close = (node: Place): void => {
    for (let last = open.at(-1); last !== undefined && last.end <= node; last = open.at(-1)) {
      writer.closeTo(last.depth);
      open.pop();
      // Many components may share one declaration; their common text is hashed once.
      const text = last.all.length === 1 ? writer.text : digest(writer.text);
      for (const at of last.all) {
        const before = (roots[at]?.nodes.slice(0, -1) ?? []).map((each) => writer.alone(each)).join("");
        hashes[at] = digest(`${roots[at]?.words ?? ""}${NEXT}${before}${text}`);
      }
      const [first = 0] = last.all;
      writer.text = open.length === 0 ? "" : last.outer + NEXT + (hashes[first] ?? "");
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

class Writer {
  text = "";
  readonly #code: Code;
  readonly #rules: Rules;
  readonly #skipped: ReadonlySet<Place>;
  readonly #ends: Place[] = [];
  readonly #held = new Set<Place>();

  constructor(code: Code, rules: Rules, skipped: ReadonlySet<Place>) {
    this.#code = code;
    this.#rules = rules;
    this.#skipped = skipped;
  }

  get depth(): number {
    return this.#ends.length;
  }

  closeTo(depth: number): void {
    for (; this.#ends.length > depth; this.#ends.pop()) this.text += END;
  }

  closeUpTo(node: Place): void {
    const ends = this.#ends;
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= node) {
      ends.pop();
      this.text += END;
    }
  }

  alone(node: Place): string {
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

  write(node: Place): Place {
    const code = this.#code;
    const rules = this.#rules;
    this.closeUpTo(node);
    const id = code.typeId(node);
    if (code.isComment(node) || this.#skipped.has(node)) return code.next(node);
    const as = rules.as[id]?.(code, node);
    if (as !== undefined) {
      this.text += NEXT + as;
      return code.next(node);
    }
    const special = rules.special[id]?.(code, node);
    if (special === "skip") return code.next(node);
    if (special === "through" || rules.isThrough[id] === 1) {
      this.#held.add(node);
      return node + 1;
    }
    if (!code.isNamed(node)) {
      if (!this.#isDropped(node, id)) this.text += NEXT + code.said(node);
      return node + 1;
    }
    if (code.isLeaf(node)) {
      this.text += (rules.marks[id] ?? "") + code.said(node) + END;
      return node + 1;
    }
    this.text += rules.marks[id] ?? "";
    this.#ends.push(code.next(node));
    return node + 1;
  }

  #isDropped(node: Place, id: number): boolean {
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
  #isLast(node: Place, parent: Place): boolean {
    const code = this.#code;
    const rules = this.#rules;
    let after = code.next(node);
    const end = code.next(parent);
    while (after < end && code.isComment(after)) after = code.next(after);
    if (after < end && rules.closes[code.typeId(after)] !== 1) return false;
    let before = siblingBefore(code, node);
    while (before !== NONE && code.isComment(before)) before = siblingBefore(code, before);
    const type = code.typeId(before);
    return before !== NONE && rules.comma[type] !== 1 && rules.opens[type] !== 1;
  }
}
