import { findClosestWord } from "#domain/closest.ts";
import type { Ask } from "#domain/indexing/query/ask.ts";
import { rankFound } from "#domain/indexing/query/rank.ts";
import { isMet, wordingOf } from "#domain/indexing/query/wording.ts";
import type { Ranked } from "#domain/memory/rank.ts";
import type { CodeIndex, IndexedComponentRow, CodeIndexEntry } from "../../ports/code-index.ts";
import { entryOfComponent, entryOfFile, entryOfText } from "../entry.ts";

export interface Finding {
  readonly found: readonly Ranked<CodeIndexEntry>[];
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
  readonly unknown: readonly string[];
  readonly named: number;
  readonly near: readonly string[];
}

const MOST = 400;
const MOST_NAMESAKES = 500;
const MOST_NEAR = 200;
const MOST_UNKNOWN = 4;

/** Exact names rank before descriptions. */
export async function findFor(index: CodeIndex, ask: Ask, now: string): Promise<Finding> {
  const question = wordingOf(ask.about, now);
  const { entries, weights, repaired } = await index.candidates(question, MOST);
  const named = await namedBy(index, ask);
  const names = new Set(ask.names.map((name) => name.toLowerCase()));
  const exactly = rankFound(question, weights, named);
  if (ask.exact !== undefined && exactly.length > 0)
    return { found: levelled(exactly), named: exactly.length, repaired: [], unknown: [], near: [] };
  const mended = new Set(repaired.map(({ from }) => from));
  const missing = question.terms
    .filter((term) => !isMet(term, weights))
    .map((term) => question.spelled.get(term) ?? term);
  const unknown = missing.filter((word) => !mended.has(word) && !names.has(word)).slice(0, MOST_UNKNOWN);
  const keys = new Set(named.map(({ key }) => key));
  const described = rankFound(
    question,
    weights,
    entries.filter(({ key }) => !keys.has(key)),
  );
  const found = [...above(exactly, described), ...described];
  if (found.length > 0) return { found, named: exactly.length, repaired, unknown, near: [] };
  return { found: [], named: 0, repaired: [], unknown, near: await nearTo(index, ask) };
}

function above(
  exactly: readonly Ranked<CodeIndexEntry>[],
  described: readonly Ranked<CodeIndexEntry>[],
): Ranked<CodeIndexEntry>[] {
  const top = described[0]?.score ?? 1;
  return levelled(exactly).map(({ item, score }) => ({ item, score: top * (1 + score) }));
}

/** Scales scores to the best one, so that no entry of that name falls below the cut. */
function levelled(exactly: readonly Ranked<CodeIndexEntry>[]): Ranked<CodeIndexEntry>[] {
  const best = exactly[0]?.score ?? 0;
  return exactly.map(({ item, score }) => ({ item, score: best > 0 ? 0.5 + score / best / 2 : 1 }));
}

async function namedBy(index: CodeIndex, ask: Ask): Promise<CodeIndexEntry[]> {
  const single = /^[\w$][\w$.~-]*$/.test(ask.about) ? [ask.about] : [];
  const names = [...new Set([...(ask.exact === undefined ? [] : [ask.exact]), ...ask.names, ...single])];
  const found: CodeIndexEntry[] = [];
  for (const name of names) {
    found.push(...(await componentsCalled(index, name)));
    found.push(...(await filesCalled(index, name)));
    found.push(...(await textsCalled(index, name)));
  }
  const byKey = new Map(found.map((entry) => [entry.key, entry]));
  return [...byKey.values()].map((entry, i) => ({ ...entry, id: -1 - i }));
}

async function componentsCalled(index: CodeIndex, name: string): Promise<CodeIndexEntry[]> {
  const [path, ref] = name.includes("#") ? splitKey(name) : [undefined, name];
  const within = path === undefined ? {} : { path };
  const last = ref.split(/[.]|::/).at(-1) ?? ref;
  const rows = [...(await index.components({ ...within, name: last, most: MOST_NAMESAKES }))];
  for (const end of endsOf(ref))
    rows.push(...(await index.components({ ...within, name: end, ref, most: MOST_NAMESAKES })));
  const isMeant = (row: IndexedComponentRow): boolean =>
    row.ref === ref || row.ref.endsWith(`.${ref}`) || row.name === ref;
  return rows.filter(isMeant).map((row) => entryOfComponent(0, row));
}

/**
 * Possible names of a component with this `ref`. The index finds rows by name at once, but scans all rows for a `ref`.
 */
function endsOf(ref: string): string[] {
  const parts = ref.replace(/~\d+$/, "").split(".");
  return parts.map((_, from) => parts.slice(from).join("."));
}

const splitKey = (key: string): [string, string] => [key.slice(0, key.indexOf("#")), key.slice(key.indexOf("#") + 1)];

async function filesCalled(index: CodeIndex, name: string): Promise<CodeIndexEntry[]> {
  if (!/[/.]/.test(name) || name.includes("#")) return [];
  const rows = await index.files({ path: name.replace(/^\.\//, "").replace(/:\d+(?:-\d+)?$/, "") });
  return rows.map((row) => entryOfFile(0, row));
}

async function textsCalled(index: CodeIndex, name: string): Promise<CodeIndexEntry[]> {
  if (!/[-#/]/.test(name)) return [];
  return (await index.texts({ key: name })).map((text) => entryOfText(0, text));
}

async function nearTo(index: CodeIndex, { about, names }: Ask): Promise<string[]> {
  const words = [...names, ...about.split(/[^\p{L}\p{N}_$]+/u)].filter((word) => word.length > 2).slice(0, 8);
  const near = new Set<string>();
  for (const word of words) {
    const like = await index.namesNear(word, MOST_NEAR);
    const meant = findClosestWord(word, like);
    if (meant !== undefined) near.add(meant);
    for (const name of like.slice(0, 3)) if (name.toLowerCase().includes(word.toLowerCase())) near.add(name);
  }
  return [...near].slice(0, 5);
}
