import type { CodeImport } from "#domain/indexing/outline.ts";
import { type Code, NONE, type Place } from "../code.ts";
import { DEEPEST } from "../look.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { siblingBefore } from "./before.ts";
import { byId } from "./by-type.ts";
import type { Around, Found, LanguageOutline, Scope } from "./language.ts";

export interface Named {
  readonly found: Found;
  readonly node: Place;
  readonly whole: Place;
  readonly first: Place;
  readonly within: string;
  readonly isExported: boolean;
}

type Asked = Omit<CodeImport, "line"> & { readonly place: Place };

const MOST_COMPONENTS = 20_000;
const MOST_AT_ONCE = 200;

interface Open {
  readonly end: Place;
  readonly around: Around;
  readonly isOpen: boolean;
  readonly depth: number;
}

const tablesOf = ({ components, imports, calls }: LanguageOutline, words: Vocabulary) => ({
  components: byId(words, components),
  imports: byId(words, imports),
  calls: byId(words, calls),
});
const known = new WeakMap<Vocabulary, ReturnType<typeof tablesOf>>();

export function namedIn(code: Code, language: LanguageOutline) {
  const table = known.get(code.words) ?? tablesOf(language, code.words);
  known.set(code.words, table);
  const named: Named[] = [];
  const imports: Asked[] = [];
  const uses = new Map<Place, string>();
  const nest = new Nest(code, language);
  for (let node = 0; node < code.count; node++) {
    const id = code.typeId(node);
    const used = table.calls[id]?.(code, node);
    if (used !== undefined) uses.set(node, used);
    const asked = table.imports[id]?.(code, node);
    if (asked !== undefined) for (const each of asked) imports.push({ ...each, place: node });
    const read = table.components[id];
    if (read === undefined || named.length >= MOST_COMPONENTS) continue;
    const outer = nest.around(node);
    if (outer.depth >= DEEPEST) continue;
    const found = read(code, node, outer.around);
    if (found === undefined) continue;
    if ("scope" in found) {
      nest.open(node, found, outer.isOpen);
      continue;
    }
    const all = [found]
      .flat()
      .slice(0, MOST_AT_ONCE)
      .filter(({ name }) => name !== "");
    for (const each of all) named.push(nest.placed(each, node, outer));
    const [first] = all;
    // The contents of a function are never exported.
    const isOpen = named.at(-1)?.isExported === true && !/^(?:function|method)$/.test(first?.kind ?? "");
    if (first !== undefined) nest.open(node, { scope: first.name, ...first }, isOpen);
  }
  return { named, imports, uses };
}

class Nest {
  readonly #code: Code;
  readonly #exported: ReadonlySet<string>;
  readonly #isListAll: boolean;
  readonly #marks: readonly string[];
  readonly #open: Open[] = [];

  constructor(code: Code, { exports, isListAll = false, marks = [] }: LanguageOutline) {
    this.#code = code;
    this.#marks = marks;
    this.#exported = exports?.(code) ?? new Set();
    this.#isListAll = isListAll && this.#exported.size > 0;
  }

  around(node: Place): Open {
    const open = this.#open;
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= node) open.pop();
    return open.at(-1) ?? TOP;
  }

  open(node: Place, inner: Scope & Pick<Partial<Found>, "within">, isOpen: boolean): void {
    const outer = this.around(node);
    const name = joined(inner.within ?? outer.around.name, inner.scope);
    const around = { kind: inner.kind ?? outer.around.kind, name };
    this.#open.push({ end: this.#code.next(node), around, isOpen, depth: outer.depth + 1 });
  }

  placed(found: Found, node: Place, outer: Open): Named {
    const within = found.within ?? outer.around.name;
    const isListed = within === "" && this.#exported.has(found.name);
    const isOwn = found.isExported && !(this.#isListAll && within === "");
    const whole = found.whole ?? node;
    const isExported = outer.isOpen && (isOwn || isListed);
    const first = this.#firstMark(found.shared === undefined ? whole : node);
    return { found, node, whole, first, within, isExported };
  }

  #firstMark(node: Place): Place {
    if (this.#marks.length === 0) return node;
    let first = node;
    for (let at = siblingBefore(this.#code, node); at !== NONE; at = siblingBefore(this.#code, at)) {
      if (this.#marks.includes(this.#code.type(at))) first = at;
      else if (!this.#code.isComment(at)) break;
    }
    return first;
  }
}

const TOP: Open = { end: 0, around: { kind: undefined, name: "" }, isOpen: true, depth: 0 };
const LONGEST = 500;
const joined = (around: string, name: string): string => {
  if (around.length + name.length > LONGEST) return around === "" ? name.slice(0, LONGEST) : around;
  return around === "" ? name : `${around}.${name}`;
};
