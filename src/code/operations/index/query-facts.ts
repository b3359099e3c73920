import { isTestPath } from "../../model/scan/test-files.ts";
import { type QueryAnswer, type QueryFact, EMPTY_ANSWER } from "../../model/query/query-answer.ts";
import type { CodeQuestion } from "../../model/query/question-intent.ts";
import { extractIndexTerms, createSearchQuestion } from "../../model/query/code-search-terms.ts";
import { isStopWord, normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import type { CodeIndex, IndexedComponentRow, CodeDependency, CodeIndexEntry } from "../ports/code-index.ts";
import { formatComponentLocation } from "./query-hits.ts";
import type { CodeEngine } from "../engine.ts";

const MAX_FACT_VALUES = 8;
const MAX_HIT_SPECS = 5;
const MAX_TAGGED_HITS = 3;

export async function loadIntentFacts(
  index: CodeIndex,
  ask: CodeQuestion,
  chosen: readonly CodeIndexEntry[],
): Promise<QueryFact[]> {
  const [best] = chosen;
  if (!best) return [];
  switch (ask.wish) {
    case "callers":
      return [await loadCallersFact(index, best)];
    case "calls":
      return [await loadDependencyFact(index, "calls", await index.uses(createEntryNode(best)), "to")];
    case "signature":
      return extractSignatureFact(best);
    case "tests":
      return [await loadTestsFact(index, ask, best)];
    case "specs":
      return [];
    case "meaning":
    case "changes":
      return ask.exact === undefined ? [] : loadExactFacts(index, best);
  }
}

/** A question that is only a name also gets the callers, or the content of a file. */
async function loadExactFacts(index: CodeIndex, best: CodeIndexEntry): Promise<QueryFact[]> {
  if (best.kind === "file") {
    const rows = await index.components({ path: best.path });
    const shown = rows
      .filter(({ within }) => within === "")
      .toSorted((a, b) => Number(b.isExported) - Number(a.isExported));
    const held = shown.map(({ ref, line }) => `${ref}:${line}`);
    return [createLimitedFact("holds", held)];
  }
  const callers = await loadCallersFact(index, best);
  return callers.values.length > 0 ? [callers] : [];
}

export async function findSpecLocations(
  index: CodeIndex,
  { exact = "" }: CodeQuestion,
): Promise<Pick<QueryAnswer, "wish" | "facts" | "specs"> | undefined> {
  const spec = exact.toUpperCase();
  if (!/^[A-Z][A-Z0-9]*-\d+$/.test(spec)) return undefined;
  const tags = await index.tags({ spec });
  if (tags.length === 0) return undefined;
  const places = tags.map(({ path, line, ref }) => `${path}:${line}${ref === undefined ? "" : ` ${ref}`}`);
  return { wish: "specs", facts: [createLimitedFact("carried by", [...new Set(places)])], specs: [spec] };
}

const createLimitedFact = (what: QueryFact["what"], values: readonly string[]): QueryFact => ({
  what,
  values: values.slice(0, MAX_FACT_VALUES),
  more: Math.max(0, values.length - MAX_FACT_VALUES),
});

async function loadCallersFact(index: CodeIndex, best: CodeIndexEntry): Promise<QueryFact> {
  const found = await index.usedBy(createEntryNode(best));
  const ordered = found.toSorted((a, b) => Number(isTestPath(a.from.path)) - Number(isTestPath(b.from.path)));
  return loadDependencyFact(index, "called by", ordered, "from");
}

const createEntryNode = ({ path, component }: CodeIndexEntry): CodeDependency["to"] =>
  component ? { path, ref: component.ref } : { path };

async function loadDependencyFact(
  index: CodeIndex,
  what: QueryFact["what"],
  found: readonly CodeDependency[],
  end: "from" | "to",
): Promise<QueryFact> {
  const values = [];
  for (const { path, ref } of found.slice(0, MAX_FACT_VALUES).map((each) => each[end])) {
    const [row] = ref === undefined ? [] : await index.components({ path, ref });
    values.push(row ? formatComponentLocation(row) : path);
  }
  return { what, values, more: Math.max(0, found.length - MAX_FACT_VALUES) };
}

/** Most languages show this in the signature. Doc comments cover the others. */
function extractSignatureFact({ component }: CodeIndexEntry): QueryFact[] {
  const lines = (component?.doc ?? "").split("\n").filter((line) => DOC_SIGNATURE_LINE.test(line));
  return lines.length > 0 ? [createLimitedFact("takes and gives", lines)] : [];
}

const DOC_SIGNATURE_LINE =
  /^\s*(?:@(?:param|returns?|throws|yields|template)\b|:(?:param|returns?|raises)|(?:Args|Returns|Raises|Yields|Parameters)\b)/i;

/** Tests that call it, import its file, or match by name or path; strongest first. */
async function loadTestsFact(index: CodeIndex, ask: CodeQuestion, best: CodeIndexEntry): Promise<QueryFact> {
  const users = [...(await index.usedBy(createEntryNode(best))), ...(await index.usedBy({ path: best.path }))];
  const using = new Set(users.map(({ from }) => from.path).filter(isTestPath));
  const asked = splitSearchWords(ask.about)
    .filter((word) => !isStopWord(word))
    .map(normalizeSearchTerm);
  const wanted = new Set([...asked, ...extractIndexTerms(best.component?.name ?? "")]);
  const share = (text: string): number => {
    const terms = extractIndexTerms(text);
    return asked.filter((term) => terms.has(term)).length / Math.max(1, asked.length);
  };
  const files = (await index.files()).filter((file) => file.isTest || isTestPath(file.path));
  const scored = files
    .map(({ path }) => ({ path, score: share(path) + (using.has(path) ? 1 : 0) }))
    .filter(({ score }) => score >= 0.99)
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  const values: string[] = [];
  for (const { path } of scored.slice(0, MAX_FACT_VALUES)) {
    const tests = await index.tests({ path });
    const named = tests.filter(({ name }) => [...extractIndexTerms(name)].some((term) => wanted.has(term)));
    const shown = (named.length > 0 ? named : tests).slice(0, 2).map(({ name, line }) => `${line} ${name}`);
    values.push(`${path}${shown.length > 0 ? ` (${tests.length}: ${shown.join(", ")})` : ""}`);
  }
  return { what: "tests", values, more: Math.max(0, scored.length - MAX_FACT_VALUES) };
}

/** Specs tagged on the best matches or their files, else elsewhere in the best match's file. */
export async function loadHitSpecs(index: CodeIndex, chosen: readonly CodeIndexEntry[]): Promise<string[]> {
  const ids = new Set(chosen.filter(({ kind }) => kind === "spec").map(({ key }) => key));
  const beside = new Set<string>();
  for (const [i, entry] of chosen.slice(0, MAX_TAGGED_HITS).entries()) {
    for (const { spec, ref } of await index.tags({ path: entry.path })) {
      if (ref === undefined || isNestedRef(entry.component, ref)) ids.add(spec);
      else if (i === 0) beside.add(spec);
    }
  }
  return [...(ids.size > 0 ? ids : beside)].slice(0, MAX_HIT_SPECS);
}

const isNestedRef = (component: IndexedComponentRow | undefined, ref: string): boolean =>
  component === undefined ||
  ref === component.ref ||
  ref.startsWith(`${component.ref}.`) ||
  component.ref.startsWith(`${ref}.`);

const MAX_SEARCHED_COMMITS = 300;
const MAX_ANSWERED_COMMITS = 6;

export async function findNamedChanges(
  { source, clock }: Pick<CodeEngine, "source" | "clock">,
  ask: CodeQuestion,
): Promise<QueryAnswer> {
  const commits = (await source.commits({ most: MAX_SEARCHED_COMMITS })) ?? [];
  const { terms } = createSearchQuestion(ask.about.replaceAll(TIME_WORDS, " "), clock.now());
  const isMeant = (text: string): boolean => {
    const held = extractIndexTerms(text);
    return terms.every((term) => held.has(term));
  };
  const meant = commits.filter(({ subject, files }) => isMeant(subject) || files.some(({ path }) => isMeant(path)));
  if (meant.length === 0) return EMPTY_ANSWER;
  const values = meant.slice(0, MAX_ANSWERED_COMMITS).map(({ hash, at, subject, files }) => {
    const path = files.find((file) => isMeant(file.path))?.path;
    return `${hash.slice(0, 7)} ${at.slice(0, 10)} ${subject}${path === undefined ? "" : ` (${path})`}`;
  });
  return { ...EMPTY_ANSWER, wish: "changes", facts: [{ what: "commits", values, more: meant.length - values.length }] };
}

const TIME_WORDS = /\b(?:recently|lately|today|yesterday|in|to|of|the|this|past|last|week|month|days?)\b/gi;
