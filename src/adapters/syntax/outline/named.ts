import type { Import } from "#domain/indexing/outline.ts";
import { type Code, type Place } from "../code.ts";
import { DEEPEST } from "../look.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { byId } from "./by-type.ts";
import type { Around, Found, LanguageOutline } from "./language.ts";

/** A component as it was found, in its place among the others. */
export interface Named {
  readonly found: Found;
  readonly node: Place;
  readonly whole: Place;
  readonly within: string;
  readonly isExported: boolean;
  readonly calls: ReadonlySet<string>;
}

/** More than anybody calls; what is longer was not written by hand. */
const MOST_CALLS = 500;
const MOST_COMPONENTS = 20_000;

interface Open {
  readonly end: Place;
  readonly around: Around;
  readonly isOpen: boolean;
  readonly depth: number;
  readonly calls: Set<string>;
}

/** The tables of a language by the numbers of its grammar. */
const tablesOf = ({ components, imports, calls }: LanguageOutline, words: Vocabulary) => ({
  components: byId(words, components),
  imports: byId(words, imports),
  calls: byId(words, calls),
});
const known = new WeakMap<Vocabulary, ReturnType<typeof tablesOf>>();

/** The components of a file and what it imports, in their order. */
export function namedIn(
  code: Code,
  language: LanguageOutline,
  calls: ReadonlyMap<Place, string>,
): { readonly named: readonly Named[]; readonly imports: readonly (Omit<Import, "line"> & { place: Place })[] } {
  const table = known.get(code.words) ?? tablesOf(language, code.words);
  known.set(code.words, table);
  const exported = language.exports?.(code) ?? new Set();
  const named: Named[] = [];
  const imports: (Omit<Import, "line"> & { place: Place })[] = [];
  const top: Open = { end: code.count, around: TOP, isOpen: true, depth: 0, calls: new Set() };
  const open: Open[] = [top];
  for (let node = 0; node < code.count; node++) {
    while (open.length > 1 && (open.at(-1)?.end ?? 0) <= node) open.pop();
    const outer = open.at(-1) ?? top;
    const id = code.typeId(node);
    const used = calls.get(node) ?? table.calls[id]?.(code, node);
    if (used !== undefined && used !== "" && outer.calls.size < MOST_CALLS) outer.calls.add(used);
    for (const each of table.imports[id]?.(code, node) ?? []) imports.push({ ...each, place: node });
    if (outer.depth >= DEEPEST || named.length >= MOST_COMPONENTS) continue;
    const found = table.components[id]?.(code, node, outer.around);
    if (found === undefined) continue;
    const inner = { end: code.next(node), depth: outer.depth + 1 };
    if ("scope" in found) {
      const around = { kind: outer.around.kind, name: joined(outer.around.name, found.scope) };
      open.push({ ...outer, ...inner, around });
      continue;
    }
    if (found.name === "") continue;
    const within = found.within ?? outer.around.name;
    const isExported = outer.isOpen && (found.isExported || (within === "" && exported.has(found.name)));
    const own: Open = {
      ...inner,
      around: { kind: found.kind, name: joined(within, found.name) },
      isOpen: isExported && found.kind !== "function" && found.kind !== "method",
      calls: new Set(),
    };
    named.push({ found, node, whole: found.whole ?? node, within, isExported, calls: own.calls });
    open.push(own);
  }
  return { named, imports };
}

const TOP: Around = { kind: undefined, name: "" };
const joined = (around: string, name: string): string => (around === "" ? name : `${around}.${name}`);
