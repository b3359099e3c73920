import type { QueryAnswer, QueryFact, QueryHit } from "../../model/query/query-answer.ts";
import { EMPTY_ANSWER, formatAnswerPage, shrinkQueryAnswer } from "../../model/query/query-answer.ts";
import { explainMatches, explainQuestion } from "../../model/query/answer-reason.ts";
import { parseCodeQuestion, type CodeQuestion } from "../../model/query/question-intent.ts";
import type { CodeEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CodeIndex, CodeIndexEntry, CodeDependency, IndexedComponentRow } from "../ports/code-index.ts";
import { findPreparedAnswer } from "./prepare-answers.ts";
import { loadSubtypesFact } from "./subtypes-fact.ts";
import { loadSourceFacts } from "./source-fact.ts";
import { loadTestsFact } from "./tests-fact.ts";
import { refreshCodeIndex } from "./refresh-index.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import { extractIndexTerms, createSearchQuestion, listUnknownWords } from "../../model/query/code-search-terms.ts";
import { rankIndexEntries } from "../../model/query/entry-ranking.ts";
import { createFileEntry, createTextEntry, createComponentEntry } from "./index-entries.ts";
import { findClosestWord } from "#kernel/model/text-format.ts";
import { loadStoredSummaries } from "./stored-summaries.ts";
import { truncateSummary, stripSpecTags } from "../../model/summary/summary-text.ts";
import { type SummaryRecord, chooseSummary, deriveSummary } from "../../model/summary/code-summary.ts";

export const queryIndex = defineOperation({
  id: "indexing.query",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).IndexQueryInput,
  output: async () => (await import("./schema.ts")).IndexQueryOutput,
  async run(engine: CodeEngine, { question, why: isAsked }) {
    const { index } = await refreshCodeIndex(engine);
    const why: string[] = [];
    const answer = shrinkQueryAnswer(await answerCodeQuestion(engine, index, question, why));
    return isAsked ? { ...answer, why } : answer;
  },
  page: formatAnswerPage,
});

const MAX_QUERY_HITS = 12;
const MAX_NAMED_HITS = 3;
const MAX_CONTEXT_HITS = 4;
/** Relative to the best score. Weaker matches are off topic. */
const MIN_HIT_SCORE_SHARE = 0.25;

async function answerCodeQuestion(
  engine: CodeEngine,
  index: CodeIndex,
  question: string,
  why: string[],
): Promise<QueryAnswer> {
  const ask = parseCodeQuestion(question);
  const answer = await answerParsedQuestion(engine, index, question, ask, why);
  const isOfTypes = ask.intent === "subtypes" || ask.intent === "overrides";
  // The text is searched for facts that no signature shows, such as a trait of the standard library.
  if (!isOfTypes || answer.facts.some(({ values }) => values.length > 0)) return answer;
  return answerParsedQuestion(engine, index, question, { intent: "meaning", about: question, names: ask.names }, why);
}

async function answerParsedQuestion(
  engine: CodeEngine,
  index: CodeIndex,
  question: string,
  ask: CodeQuestion,
  why: string[],
): Promise<QueryAnswer> {
  why.push(explainQuestion(ask));
  if (ask.exact === undefined) {
    const ready = await findPreparedAnswer(engine, index, question, ask.intent);
    if (ready) why.push("Answered by a page that Tenon prepares from the index for questions like this.");
    if (ready) return { ...EMPTY_ANSWER, intent: "ready", ready };
    if (ask.intent === "changes") return findNamedChanges(engine, ask);
  }
  const carried = await findSpecLocations(index, ask);
  const matches = await findQueryMatches(index, ask, engine.clock.now());
  const { found, named, repaired, unknown, near } = matches;
  const [best] = carried ? found.slice(0, named) : found;
  if (!best) return { ...EMPTY_ANSWER, ...(carried ?? { repaired, unknown, near }) };
  // Drops a file if something in it matched, and further overloads of a function.
  const told = new Set(found.filter(({ item }) => item.component).map(({ item }) => item.path));
  const close = found
    .filter(({ score }) => score >= MIN_HIT_SCORE_SHARE * best.score)
    .filter(({ item: { key } }) => {
      const own = key.replace(/~\d+$/, "");
      const isNew = !told.has(own);
      told.add(own);
      return isNew;
    });
  // A question about the callers of a named thing does not ask for similar ones.
  const most =
    ask.intent === "meaning" ? MAX_QUERY_HITS : named > 0 ? Math.min(named, MAX_NAMED_HITS) : MAX_CONTEXT_HITS;
  const shown = close.slice(0, carried ? 1 : most);
  why.push(...explainMatches(matches.question, matches, shown));
  const chosen = shown.map(({ item }) => item);
  const all = ask.intent === "meaning" || named === 0 ? close.length : named;
  return {
    ...EMPTY_ANSWER,
    intent: carried?.intent ?? ask.intent,
    hits: await createQueryHits(engine, index, chosen, ask.exact !== undefined),
    more: carried ? 0 : Math.max(0, all - chosen.length),
    facts: carried?.facts ?? [
      ...(await loadSourceFacts(
        engine,
        index,
        question,
        found.map(({ item }) => item),
      )),
      ...(await loadIntentFacts(index, ask, chosen[0])),
    ],
    specs: await loadHitSpecs(index, chosen),
    repaired,
    unknown,
  };
}

const MAX_FACT_VALUES = 8;

async function loadIntentFacts(index: CodeIndex, ask: CodeQuestion, best: CodeIndexEntry | undefined) {
  if (!best) return [];
  switch (ask.intent) {
    case "callers":
      return [await loadCallersFact(index, best)];
    case "subtypes":
      return [await loadSubtypesFact(index, best, formatComponentLocation)];
    case "overrides": {
      const name = best.component?.name ?? ask.about;
      const others = (await index.components({ name, most: MAX_SAME_NAME_ROWS })).filter((row) => row.within !== "");
      const product = others.filter((row) => !row.isTest && row.ref !== best.component?.ref);
      return [createLimitedFact("overridden in", product.map(formatComponentLocation))];
    }
    case "calls":
      return [await loadDependencyFact(index, "calls", await index.uses(createEntryNode(best)), "to")];
    case "signature": {
      // Most languages show this in the signature. Doc comments cover the others.
      const lines = (best.component?.doc ?? "").split("\n").filter((line) => DOC_SIGNATURE_LINE.test(line));
      return lines.length > 0 ? [createLimitedFact("takes and returns", lines)] : [];
    }
    case "tests":
      return [await loadTestsFact(index, ask.about, best)];
    case "specs":
      return [];
    case "meaning":
    case "changes":
      return ask.exact === undefined ? [] : loadExactFacts(index, best);
  }
}

/** A question that is only a name also gets the callers, or the content of a file. */
async function loadExactFacts(index: CodeIndex, best: CodeIndexEntry): Promise<QueryFact[]> {
  if (best.kind !== "file") {
    const callers = await loadCallersFact(index, best);
    return callers.values.length > 0 ? [callers] : [];
  }
  const rows = (await index.components({ path: best.path })).filter(({ within }) => within === "");
  const shown = rows.toSorted((a, b) => Number(b.isExported) - Number(a.isExported));
  const held = shown.map(({ ref, line }) => `${ref}:${line}`);
  return [createLimitedFact("holds", held)];
}

async function findSpecLocations(index: CodeIndex, { exact = "" }: CodeQuestion) {
  const spec = exact.toUpperCase();
  const tags = /^[A-Z][A-Z0-9]*-\d+$/.test(spec) ? await index.tags({ spec }) : [];
  if (tags.length === 0) return undefined;
  const places = tags.map(({ path, line, ref }) => `${path}:${line}${ref === undefined ? "" : ` ${ref}`}`);
  return { intent: "specs" as const, facts: [createLimitedFact("carried by", [...new Set(places)])], specs: [spec] };
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

const DOC_SIGNATURE_LINE =
  /^\s*(?:@(?:param|returns?|throws|yields|template)\b|:(?:param|returns?|raises)|(?:Args|Returns|Raises|Yields|Parameters)\b)/i;

const MAX_HIT_SPECS = 5;
const MAX_TAGGED_HITS = 3;

/** Specs tagged on the best matches or their files, else elsewhere in the best match's file. */
async function loadHitSpecs(index: CodeIndex, chosen: readonly CodeIndexEntry[]): Promise<string[]> {
  const ids = new Set(chosen.filter(({ kind }) => kind === "spec").map(({ key }) => key));
  const beside = new Set<string>();
  for (const [i, { path, component }] of chosen.slice(0, MAX_TAGGED_HITS).entries()) {
    for (const { spec, ref } of await index.tags({ path })) {
      const isNested =
        component === undefined ||
        `${ref}.`.startsWith(`${component.ref}.`) ||
        `${component.ref}.`.startsWith(`${ref}.`);
      if (ref === undefined || isNested) ids.add(spec);
      else if (i === 0) beside.add(spec);
    }
  }
  return [...(ids.size > 0 ? ids : beside)].slice(0, MAX_HIT_SPECS);
}

const MAX_SEARCHED_COMMITS = 300;
const MAX_ANSWERED_COMMITS = 6;

async function findNamedChanges({ source, clock }: CodeEngine, ask: CodeQuestion): Promise<QueryAnswer> {
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
  return {
    ...EMPTY_ANSWER,
    intent: "changes",
    facts: [{ what: "commits", values, more: meant.length - values.length }],
  };
}

const TIME_WORDS = /\b(?:recently|lately|today|yesterday|in|to|of|the|this|past|last|week|month|days?)\b/gi;

const MAX_QUERY_ENTRIES = 400;
const MAX_SAME_NAME_ROWS = 500;
const MAX_SIMILAR_NAMES = 200;
const MAX_UNKNOWN_WORDS = 4;

/** Exact names rank before descriptions. */
async function findQueryMatches(index: CodeIndex, ask: CodeQuestion, now: string) {
  const question = createSearchQuestion(ask.about, now);
  const { entries, weights, repaired } = await index.candidates(question, MAX_QUERY_ENTRIES);
  const named = await loadNamedEntries(index, ask);
  const basis = { question, weights, compared: entries.length + named.length };
  const ranked = rankIndexEntries(question, weights, named, ask.about);
  const best = ranked[0]?.score ?? 0;
  // Scales scores to the best one, so that no entry of that name falls below the cut.
  const exactly = ranked.map(({ item, score }) => ({ item, score: best > 0 ? 0.5 + score / best / 2 : 1 }));
  if (ask.exact !== undefined && exactly.length > 0)
    return { found: exactly, named: exactly.length, repaired: [], unknown: [], near: [], ...basis };
  const unknown = listUnknownWords(question, weights, [...repaired.map(({ from }) => from), ...ask.names]).slice(
    0,
    MAX_UNKNOWN_WORDS,
  );
  const keys = new Set(named.map(({ key }) => key));
  const others = entries.filter(({ key }) => !keys.has(key));
  const described = rankIndexEntries(question, weights, others, ask.about);
  const top = described[0]?.score ?? 1;
  const found = [...exactly.map(({ item, score }) => ({ item, score: top * (1 + score) })), ...described];
  if (found.length > 0) return { found, named: exactly.length, repaired, unknown, near: [], ...basis };
  return { found: [], named: 0, repaired: [], unknown, near: await suggestSimilarNames(index, ask), ...basis };
}

async function loadNamedEntries(index: CodeIndex, ask: CodeQuestion): Promise<CodeIndexEntry[]> {
  const single = /^[\w$][\w$.:~-]*$/.test(ask.about) ? [ask.about.replaceAll("::", ".")] : [];
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

async function createQueryHits(
  engine: CodeEngine,
  index: CodeIndex,
  entries: readonly CodeIndexEntry[],
  isExact: boolean,
) {
  const keys = entries.map(({ key }) => key);
  const known = await loadStoredSummaries(engine, index, keys);
  return entries.map((entry, i): QueryHit => {
    const most = i > 0 ? OTHER_SUMMARY_LENGTH : isExact ? EXACT_SUMMARY_LENGTH : BEST_SUMMARY_LENGTH;
    const kept = known.get(entry.key);
    const { component: row, kind } = entry;
    const signature = row ? extractSignatureTail(row) : "";
    const summary = row ? chooseComponentText(row, most, kept) : chooseEntryText(entry, kept);
    const line = row ? formatLineRange(row) : String(entry.line);
    const longest = i === 0 ? BEST_SIGNATURE_LENGTH : OTHER_SIGNATURE_LENGTH;
    return {
      key: entry.key,
      at: kind === "spec" ? `${entry.path}:${line}` : line,
      is: row?.kind ?? kind,
      ...(signature === "" ? {} : { signature: truncateSummary(signature, longest) }),
      ...(summary === "" ? {} : { summary: truncateSummary(summary, most) }),
    };
  });
}

/** A valid stored summary of a file, spec or section, else its own first words. */
function chooseEntryText({ kind, title, text, hash }: CodeIndexEntry, kept: SummaryRecord | undefined): string {
  if (kept && (kept.source === "manual" || kept.hash === hash)) return kept.text;
  if (kind === "file") return stripSpecTags(text);
  const summary = /^\s*summary:\s*(?:[>|][-+]?\s*\n\s*)?["']?(.+?)["']?\s*$/m.exec(text)?.[1] ?? "";
  return `${title}. ${kind === "spec" ? summary : text}`;
}

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
const formatComponentLocation = (row: IndexedComponentRow): string => `${row.path}:${formatLineRange(row)} ${row.ref}`;

/** The signature after the name, `(name: string): Token`, without the assignment. */
function extractSignatureTail({ name, signature }: Pick<IndexedComponentRow, "name" | "signature">): string {
  const escaped = name.replaceAll(/[^\p{L}\p{N}]/gu, "\\$&");
  const at = signature.search(new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`));
  const behind = at === -1 ? "" : signature.slice(at + name.length).trimEnd();
  const put = behind.replace(/^\s*[=:]\s*(?:async\s+)?(?:function\b\s*\*?\s*[\w$]*\s*)?(?=[(<])/, "");
  return put.replace(/^\s+(?=[(<])/, "").replace(/\s*=>$/, "");
}
