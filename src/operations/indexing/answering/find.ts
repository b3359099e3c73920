import { findClosestWord } from "#domain/closest.ts";
import type { CodeQuestion } from "#domain/indexing/query/ask.ts";
import { rankIndexEntries } from "#domain/indexing/query/rank.ts";
import { hasIndexedTerm, createSearchQuestion } from "#domain/indexing/query/wording.ts";
import type { RankedItem } from "#domain/memory/rank.ts";
import type { CodeIndex, IndexedComponentRow, CodeIndexEntry } from "../../ports/code-index.ts";
import { createComponentEntry, createFileEntry, createTextEntry } from "../entry.ts";

export interface QueryMatches {
  readonly found: readonly RankedItem<CodeIndexEntry>[];
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
  readonly unknown: readonly string[];
  readonly named: number;
  readonly near: readonly string[];
}

const MAX_QUERY_ENTRIES = 400;
const MAX_SAME_NAME_ROWS = 500;
const MAX_SIMILAR_NAMES = 200;
const MAX_UNKNOWN_WORDS = 4;

/** Exact names rank before descriptions. */
export async function findQueryMatches(index: CodeIndex, ask: CodeQuestion, now: string): Promise<QueryMatches> {
  const question = createSearchQuestion(ask.about, now);
  const { entries, weights, repaired } = await index.candidates(question, MAX_QUERY_ENTRIES);
  const named = await loadNamedEntries(index, ask);
  const names = new Set(ask.names.map((name) => name.toLowerCase()));
  const exactly = rankIndexEntries(question, weights, named);
  if (ask.exact !== undefined && exactly.length > 0)
    return { found: normalizeExactScores(exactly), named: exactly.length, repaired: [], unknown: [], near: [] };
  const mended = new Set(repaired.map(({ from }) => from));
  const missing = question.terms
    .filter((term) => !hasIndexedTerm(term, weights))
    .map((term) => question.spelled.get(term) ?? term);
  const unknown = missing.filter((word) => !mended.has(word) && !names.has(word)).slice(0, MAX_UNKNOWN_WORDS);
  const keys = new Set(named.map(({ key }) => key));
  const described = rankIndexEntries(
    question,
    weights,
    entries.filter(({ key }) => !keys.has(key)),
  );
  const found = [...liftExactMatches(exactly, described), ...described];
  if (found.length > 0) return { found, named: exactly.length, repaired, unknown, near: [] };
  return { found: [], named: 0, repaired: [], unknown, near: await suggestSimilarNames(index, ask) };
}

function liftExactMatches(
  exactly: readonly RankedItem<CodeIndexEntry>[],
  described: readonly RankedItem<CodeIndexEntry>[],
): RankedItem<CodeIndexEntry>[] {
  const top = described[0]?.score ?? 1;
  return normalizeExactScores(exactly).map(({ item, score }) => ({ item, score: top * (1 + score) }));
}

/** Scales scores to the best one, so that no entry of that name falls below the cut. */
function normalizeExactScores(exactly: readonly RankedItem<CodeIndexEntry>[]): RankedItem<CodeIndexEntry>[] {
  const best = exactly[0]?.score ?? 0;
  return exactly.map(({ item, score }) => ({ item, score: best > 0 ? 0.5 + score / best / 2 : 1 }));
}

async function loadNamedEntries(index: CodeIndex, ask: CodeQuestion): Promise<CodeIndexEntry[]> {
  const single = /^[\w$][\w$.~-]*$/.test(ask.about) ? [ask.about] : [];
  const names = [...new Set([...(ask.exact === undefined ? [] : [ask.exact]), ...ask.names, ...single])];
  const found: CodeIndexEntry[] = [];
  for (const name of names) {
    found.push(...(await loadNamedComponents(index, name)));
    found.push(...(await loadNamedFiles(index, name)));
    found.push(...(await loadNamedTexts(index, name)));
  }
  const byKey = new Map(found.map((entry) => [entry.key, entry]));
  return [...byKey.values()].map((entry, i) => ({ ...entry, id: -1 - i }));
}

async function loadNamedComponents(index: CodeIndex, name: string): Promise<CodeIndexEntry[]> {
  const [path, ref] = name.includes("#") ? splitComponentKey(name) : [undefined, name];
  const within = path === undefined ? {} : { path };
  const last = ref.split(/[.]|::/).at(-1) ?? ref;
  const rows = [...(await index.components({ ...within, name: last, most: MAX_SAME_NAME_ROWS }))];
  for (const end of listRefEndings(ref))
    rows.push(...(await index.components({ ...within, name: end, ref, most: MAX_SAME_NAME_ROWS })));
  const isMeant = (row: IndexedComponentRow): boolean =>
    row.ref === ref || row.ref.endsWith(`.${ref}`) || row.name === ref;
  return rows.filter(isMeant).map((row) => createComponentEntry(0, row));
}

/**
 * Possible names of a component with this `ref`. The index finds rows by name at once, but scans all rows for a `ref`.
 */
function listRefEndings(ref: string): string[] {
  const parts = ref.replace(/~\d+$/, "").split(".");
  return parts.map((_, from) => parts.slice(from).join("."));
}

const splitComponentKey = (key: string): [string, string] => [
  key.slice(0, key.indexOf("#")),
  key.slice(key.indexOf("#") + 1),
];

async function loadNamedFiles(index: CodeIndex, name: string): Promise<CodeIndexEntry[]> {
  if (!/[/.]/.test(name) || name.includes("#")) return [];
  const rows = await index.files({ path: name.replace(/^\.\//, "").replace(/:\d+(?:-\d+)?$/, "") });
  return rows.map((row) => createFileEntry(0, row));
}

async function loadNamedTexts(index: CodeIndex, name: string): Promise<CodeIndexEntry[]> {
  if (!/[-#/]/.test(name)) return [];
  return (await index.texts({ key: name })).map((text) => createTextEntry(0, text));
}

async function suggestSimilarNames(index: CodeIndex, { about, names }: CodeQuestion): Promise<string[]> {
  const words = [...names, ...about.split(/[^\p{L}\p{N}_$]+/u)].filter((word) => word.length > 2).slice(0, 8);
  const near = new Set<string>();
  for (const word of words) {
    const like = await index.namesNear(word, MAX_SIMILAR_NAMES);
    const meant = findClosestWord(word, like);
    if (meant !== undefined) near.add(meant);
    for (const name of like.slice(0, 3)) if (name.toLowerCase().includes(word.toLowerCase())) near.add(name);
  }
  return [...near].slice(0, 5);
}
