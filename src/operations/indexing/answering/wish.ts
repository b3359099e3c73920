import { isTestPath } from "#domain/scan/test-path.ts";
import type { Answer, Fact } from "#domain/indexing/query/answer.ts";
import type { Ask } from "#domain/indexing/query/ask.ts";
import { termsOfCode } from "#domain/indexing/words.ts";
import { isStopWord, termOf, wordsOf } from "#domain/memory/words.ts";
import type { CodeIndex, IndexedComponentRow, CodeDependency, CodeIndexEntry } from "../../ports/code-index.ts";
import { placeOf } from "./hit.ts";

const MOST_VALUES = 8;
const MOST_SPECS = 5;
const MOST_TAGGED = 3;

interface Facts {
  readonly wish: Answer["wish"];
  readonly facts: readonly Fact[];
}

export async function factsFor(index: CodeIndex, ask: Ask, chosen: readonly CodeIndexEntry[]): Promise<Facts> {
  const [best] = chosen;
  if (!best) return { wish: ask.wish, facts: [] };
  switch (ask.wish) {
    case "callers":
      return { wish: "callers", facts: [await callersOf(index, best)] };
    case "calls":
      return { wish: "calls", facts: [await callsOf(index, best)] };
    case "signature":
      return { wish: "signature", facts: takesAndGives(best) };
    case "tests":
      return { wish: "tests", facts: [await testsOf(index, ask, chosen)] };
    case "specs":
      return { wish: "specs", facts: [] };
    case "meaning":
    case "changes":
      return { wish: ask.wish, facts: ask.exact === undefined ? [] : await aboutExact(index, best) };
  }
}

/** A question that is only a name also gets the callers, or the content of a file. */
async function aboutExact(index: CodeIndex, best: CodeIndexEntry): Promise<Fact[]> {
  if (best.kind === "file") {
    const rows = await index.components({ path: best.path });
    const shown = rows
      .filter(({ within }) => within === "")
      .toSorted((a, b) => Number(b.isExported) - Number(a.isExported));
    return [
      fact(
        "holds",
        shown.map(({ ref, line }) => `${ref}:${line}`),
      ),
    ];
  }
  const callers = await callersOf(index, best);
  return callers.values.length > 0 ? [callers] : [];
}

export async function carriersOf(
  index: CodeIndex,
  { exact = "" }: Ask,
): Promise<Pick<Answer, "wish" | "facts" | "specs"> | undefined> {
  const spec = exact.toUpperCase();
  if (!/^[A-Z][A-Z0-9]*-\d+$/.test(spec)) return undefined;
  const tags = await index.tags({ spec });
  if (tags.length === 0) return undefined;
  const places = tags.map(({ path, line, ref }) => `${path}:${line}${ref === undefined ? "" : ` ${ref}`}`);
  return { wish: "specs", facts: [fact("carried by", [...new Set(places)])], specs: [spec] };
}

const fact = (what: Fact["what"], values: readonly string[]): Fact => ({
  what,
  values: values.slice(0, MOST_VALUES),
  more: Math.max(0, values.length - MOST_VALUES),
});

async function callersOf(index: CodeIndex, best: CodeIndexEntry): Promise<Fact> {
  const found = await index.usedBy(meantBy(best));
  const ends = found
    .map(({ from }) => from)
    .toSorted((a, b) => Number(isTestPath(a.path)) - Number(isTestPath(b.path)));
  return factOf(index, "called by", ends);
}

async function callsOf(index: CodeIndex, best: CodeIndexEntry): Promise<Fact> {
  return factOf(
    index,
    "calls",
    (await index.uses(meantBy(best))).map(({ to }) => to),
  );
}

const meantBy = ({ path, component }: CodeIndexEntry): { path: string; ref?: string } =>
  component ? { path, ref: component.ref } : { path };

async function factOf(index: CodeIndex, what: Fact["what"], ends: readonly CodeDependency["to"][]): Promise<Fact> {
  const values = [];
  for (const { path, ref } of ends.slice(0, MOST_VALUES)) {
    const [row] = ref === undefined ? [] : await index.components({ path, ref });
    values.push(row ? placeOf(row) : path);
  }
  return { what, values, more: Math.max(0, ends.length - MOST_VALUES) };
}

/** Most languages show this in the signature. Doc comments cover the others. */
function takesAndGives({ component }: CodeIndexEntry): Fact[] {
  const lines = (component?.doc ?? "").split("\n").filter((line) => TOLD.test(line));
  return lines.length > 0 ? [fact("takes and gives", lines)] : [];
}

const TOLD =
  /^\s*(?:@(?:param|returns?|throws|yields|template)\b|:(?:param|returns?|raises)|(?:Args|Returns|Raises|Yields|Parameters)\b)/i;

/** Tests that call it, import its file, or match by name or path; strongest first. */
async function testsOf(index: CodeIndex, ask: Ask, chosen: readonly CodeIndexEntry[]): Promise<Fact> {
  const [best] = chosen;
  const users = best ? [...(await index.usedBy(meantBy(best))), ...(await index.usedBy({ path: best.path }))] : [];
  const using = new Set(users.map(({ from }) => from.path).filter(isTestPath));
  const wanted = new Set([
    ...wordsOf(ask.about)
      .filter((word) => !isStopWord(word))
      .map(termOf),
    ...(best?.component ? [...termsOfCode(best.component.name)] : []),
  ]);
  const asked = wordsOf(ask.about)
    .filter((word) => !isStopWord(word))
    .map(termOf);
  const share = (text: string): number => {
    const terms = termsOfCode(text);
    return asked.filter((term) => terms.has(term)).length / Math.max(1, asked.length);
  };
  const files = (await index.files()).filter((file) => file.isTest || isTestPath(file.path));
  const scored = files
    .map(({ path }) => ({ path, score: share(path) + (using.has(path) ? 1 : 0) }))
    .filter(({ score }) => score >= 0.99)
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  const values: string[] = [];
  for (const { path } of scored.slice(0, MOST_VALUES)) {
    const tests = await index.tests({ path });
    const named = tests.filter(({ name }) => [...termsOfCode(name)].some((term) => wanted.has(term)));
    const shown = (named.length > 0 ? named : tests).slice(0, 2).map(({ name, line }) => `${line} ${name}`);
    values.push(`${path}${shown.length > 0 ? ` (${tests.length}: ${shown.join(", ")})` : ""}`);
  }
  return { what: "tests", values, more: Math.max(0, scored.length - MOST_VALUES) };
}

/** Specs tagged on the best matches or their files, else elsewhere in the best match's file. */
export async function specsOf(index: CodeIndex, chosen: readonly CodeIndexEntry[]): Promise<string[]> {
  const ids = new Set(chosen.filter(({ kind }) => kind === "spec").map(({ key }) => key));
  const beside = new Set<string>();
  for (const [i, entry] of chosen.slice(0, MOST_TAGGED).entries()) {
    for (const { spec, ref } of await index.tags({ path: entry.path })) {
      if (ref === undefined || isPartOf(entry.component, ref)) ids.add(spec);
      else if (i === 0) beside.add(spec);
    }
  }
  return [...(ids.size > 0 ? ids : beside)].slice(0, MOST_SPECS);
}

const isPartOf = (component: IndexedComponentRow | undefined, ref: string): boolean =>
  component === undefined ||
  ref === component.ref ||
  ref.startsWith(`${component.ref}.`) ||
  component.ref.startsWith(`${ref}.`);
