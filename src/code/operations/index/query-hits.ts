import { findClosestWord } from "#kernel/model/text-format.ts";
import type { CodeQuestion } from "../../model/query/question-intent.ts";
import { rankIndexEntries } from "../../model/query/entry-ranking.ts";
import { hasIndexedTerm, createSearchQuestion } from "../../model/query/code-search-terms.ts";
import type { RankedItem } from "#kernel/model/search/search-ranking.ts";
import type { CodeIndex, IndexedComponentRow, CodeIndexEntry } from "../ports/code-index.ts";
import { createComponentEntry, createFileEntry, createTextEntry } from "./index-entries.ts";
import type { QueryAnswer, QueryHit } from "../../model/query/query-answer.ts";
import { type SummaryRecord, deriveSummary, chooseSummary } from "../../model/summary/code-summary.ts";
import { stripSpecTags, truncateSummary } from "../../model/summary/summary-text.ts";
import type { CodeEngine } from "../engine.ts";
import { loadStoredSummaries } from "./stored-summaries.ts";

type RankedEntry = RankedItem<CodeIndexEntry>;

interface QueryMatches extends Pick<QueryAnswer, "repaired" | "unknown" | "near"> {
  readonly found: readonly RankedEntry[];
  readonly named: number;
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
  const exactly = normalizeExactScores(rankIndexEntries(question, weights, named));
  if (ask.exact !== undefined && exactly.length > 0)
    return { found: exactly, named: exactly.length, repaired: [], unknown: [], near: [] };
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
  const top = described[0]?.score ?? 1;
  const found = [...exactly.map(({ item, score }) => ({ item, score: top * (1 + score) })), ...described];
  if (found.length > 0) return { found, named: exactly.length, repaired, unknown, near: [] };
  return { found: [], named: 0, repaired: [], unknown, near: await suggestSimilarNames(index, ask) };
}

/** Scales scores to the best one, so that no entry of that name falls below the cut. */
function normalizeExactScores(exactly: readonly RankedEntry[]): RankedEntry[] {
  const best = exactly[0]?.score ?? 0;
  return exactly.map(({ item, score }) => ({ item, score: best > 0 ? 0.5 + score / best / 2 : 1 }));
}

async function loadNamedEntries(index: CodeIndex, ask: CodeQuestion): Promise<CodeIndexEntry[]> {
  const single = /^[\w$][\w$.~-]*$/.test(ask.about) ? [ask.about] : [];
  const names = [...new Set([...(ask.exact === undefined ? [] : [ask.exact]), ...ask.names, ...single])];
  const found: CodeIndexEntry[] = [];
  for (const name of names) {
    found.push(...(await loadNamedComponents(index, name)));
    if (/[/.]/.test(name) && !name.includes("#")) {
      const rows = await index.files({ path: name.replace(/^\.\//, "").replace(/:\d+(?:-\d+)?$/, "") });
      found.push(...rows.map((row) => createFileEntry(0, row)));
    }
    if (/[-#/]/.test(name)) found.push(...(await index.texts({ key: name })).map((text) => createTextEntry(0, text)));
  }
  const byKey = new Map(found.map((entry) => [entry.key, entry]));
  return [...byKey.values()].map((entry, i) => ({ ...entry, id: -1 - i }));
}

async function loadNamedComponents(index: CodeIndex, name: string): Promise<CodeIndexEntry[]> {
  const hash = name.indexOf("#");
  const ref = name.slice(hash + 1);
  const within = hash === -1 ? {} : { path: name.slice(0, hash) };
  const last = ref.split(/[.]|::/).at(-1) ?? ref;
  const rows = [...(await index.components({ ...within, name: last, most: MAX_SAME_NAME_ROWS }))];
  // The index finds rows by name at once, but scans all rows for a ref. So each name that the ref may end with is asked.
  const parts = ref.replace(/~\d+$/, "").split(".");
  for (const from of parts.keys()) {
    const end = parts.slice(from).join(".");
    rows.push(...(await index.components({ ...within, name: end, ref, most: MAX_SAME_NAME_ROWS })));
  }
  const isMeant = (row: IndexedComponentRow): boolean =>
    row.ref === ref || row.ref.endsWith(`.${ref}`) || row.name === ref;
  return rows.filter(isMeant).map((row) => createComponentEntry(0, row));
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

const EXACT_SUMMARY_LENGTH = 400;
const BEST_SUMMARY_LENGTH = 200;
const OTHER_SUMMARY_LENGTH = 90;
const BEST_SIGNATURE_LENGTH = 240;
const OTHER_SIGNATURE_LENGTH = 110;

export async function createQueryHits(
  engine: Pick<CodeEngine, "store" | "yaml" | "notice">,
  index: CodeIndex,
  entries: readonly CodeIndexEntry[],
  isExact: boolean,
): Promise<QueryHit[]> {
  const known = await loadStoredSummaries(
    engine,
    index,
    entries.map(({ key }) => key),
  );
  return entries.map((entry, i): QueryHit => {
    const most = i > 0 ? OTHER_SUMMARY_LENGTH : isExact ? EXACT_SUMMARY_LENGTH : BEST_SUMMARY_LENGTH;
    const kept = known.get(entry.key);
    const { component: row } = entry;
    const takes = row ? extractSignatureTail(row) : "";
    const says = row ? chooseComponentText(row, most, kept) : chooseEntryText(entry, kept);
    const line = row ? formatLineRange(row) : String(entry.line);
    return {
      key: entry.key,
      at: entry.kind === "spec" ? `${entry.path}:${line}` : line,
      is: row?.kind ?? entry.kind,
      ...(takes === ""
        ? {}
        : { takes: truncateSummary(takes, i === 0 ? BEST_SIGNATURE_LENGTH : OTHER_SIGNATURE_LENGTH) }),
      ...(says === "" ? {} : { says: truncateSummary(says, most) }),
    };
  });
}

/** A valid stored summary of a file, spec or section, else its own first words. */
function chooseEntryText({ kind, title, text, hash }: CodeIndexEntry, kept: SummaryRecord | undefined): string {
  if (kept && (kept.source === "manual" || kept.hash === hash)) return kept.text;
  if (kind === "file") return stripSpecTags(text);
  return `${title}. ${kind === "spec" ? extractSpecSummary(text) : text}`;
}

const extractSpecSummary = (yaml: string): string =>
  /^\s*summary:\s*(?:[>|][-+]?\s*\n\s*)?["']?(.+?)["']?\s*$/m.exec(yaml)?.[1] ?? "";

/** Leaves out derived text that only repeats the signature. */
function chooseComponentText(row: IndexedComponentRow, most: number, kept: SummaryRecord | undefined): string {
  const { text, source } = chooseSummary(row, kept);
  if (source !== "itself") return text;
  if (text === deriveSummary({ ...row, doc: "" })) return "";
  const doc = stripSpecTags(row.doc);
  return most > BEST_SUMMARY_LENGTH && doc.length > text.length ? doc : text;
}

const formatLineRange = ({ line, lastLine }: Pick<IndexedComponentRow, "line" | "lastLine">): string =>
  lastLine > line ? `${line}-${lastLine}` : String(line);

/** `src/auth.ts:10-42 Session.login`. */
export const formatComponentLocation = (row: IndexedComponentRow): string =>
  `${row.path}:${formatLineRange(row)} ${row.ref}`;

/** The signature after the name, `(name: string): Token`, without the assignment. */
function extractSignatureTail({ name, signature }: Pick<IndexedComponentRow, "name" | "signature">): string {
  const escaped = name.replaceAll(/[^\p{L}\p{N}]/gu, "\\$&");
  const at = signature.search(new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`));
  const behind = at === -1 ? "" : signature.slice(at + name.length).trimEnd();
  const put = behind.replace(/^\s*[=:]\s*(?:async\s+)?(?:function\b\s*\*?\s*[\w$]*\s*)?(?=[(<])/, "");
  return put.replace(/^\s+(?=[(<])/, "").replace(/\s*=>$/, "");
}
