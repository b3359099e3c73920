import { type SearchQuestion, parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import type { TermWeights } from "#kernel/model/search/search-ranking.ts";
import { listRelatedTerms } from "#kernel/model/search/programmer-synonyms.ts";
import { isStopWord, normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";

const QUESTION_FILLER_WORDS: ReadonlySet<string> = new Set(
  [
    "actually anybody anything anyone become becomes came code codebase come comes define defined defines describe",
    "exactly exist exists explain function give given gives go goes handle handled handles happen happened happens help implement",
    "implemented implements know known let lets located make makes making mean meant project repository responsible",
    "say says somebody someone something tell thing things turn turned turns want way ways work worked working works",
  ]
    .join(" ")
    .split(" "),
);
const SYNONYM_SHARE = 0.4;
const DERIVED_WORD_SHARE = 0.6;
const MIN_DERIVED_WORD = 4;
const MAX_SEARCH_HINTS = 60;

/** Names join a verb and its particle: `lookup`, `login`, `rollback`. */
const VERB_PARTICLES: ReadonlySet<string> = new Set("up down in out off on back over".split(" "));
/** Converts a question about code to index terms: without filler words, with names and their parts. */
export function createSearchQuestion(about: string, now: string): SearchQuestion {
  const question = parseSearchQuestion(appendNameParts(removeFillerWords(about)), now);
  const hints = new Map(question.hints);
  const add = (word: string, share: number): void => {
    const term = normalizeSearchTerm(word);
    if (!question.terms.includes(term) && !hints.has(term) && hints.size < MAX_SEARCH_HINTS) hints.set(term, share);
  };
  for (const word of joinVerbParticles(about)) add(word, 1);
  // Some stop words mean something in code: `before` is a hook.
  for (const word of splitSearchWords(about))
    for (const other of listCodeSynonyms(normalizeSearchTerm(word))) add(other, SYNONYM_SHARE);
  for (const word of question.spelled.values()) for (const made of deriveCodeVerbs(word)) add(made, DERIVED_WORD_SHARE);
  return { ...question, hints, phrases: [] };
}

function joinVerbParticles(about: string): string[] {
  const words = splitSearchWords(about);
  return words
    .slice(1)
    .flatMap((word, i) => (VERB_PARTICLES.has(word) ? [`${normalizeSearchTerm(words[i] ?? "")}${word}`] : []));
}

export const hasIndexedTerm = (term: string, weights: TermWeights): boolean =>
  [term, ...listRelatedTerms(term), ...listCodeSynonyms(term)].some((each) => weights.has(each));

/** Keeps all words if nothing else would remain. */
function removeFillerWords(about: string): string {
  const words = about.split(/\s+/);
  const telling = words.filter((word) => !QUESTION_FILLER_WORDS.has(word.toLowerCase().replaceAll(/[^\p{L}]/gu, "")));
  const isEmpty = telling.every((word) => splitSearchWords(word).every(isStopWord));
  return isEmpty ? about : telling.join(" ");
}

/** Verbs that programmers derive: `flatten`, `slugify`, `normalize`. Also the base word of such a verb. */
function deriveCodeVerbs(word: string): string[] {
  if (word.length < MIN_DERIVED_WORD || !/^[a-z]+$/.test(word)) return [];
  const root = word.replace(/[ey]$/, "");
  const made = [`${root}ify`, `${root}ize`, `${root}ise`, `${root}en`, `${root}${root.at(-1)}en`];
  const [, base] = /^([a-z]{4,})(?:ify|i[sz]e|ifier|i[sz]er|i[sz]ation)s?$/.exec(word) ?? [];
  return base === undefined ? made : [...made, base, `${base}y`];
}

/** A word, followed by its abbreviations in code. */
const CODE_ABBREVIATIONS: readonly string[] = [
  "address addr",
  "application app",
  "argument arg args",
  "asynchronous async",
  "attribute attr",
  "authentication auth",
  "button btn",
  "callback cb fn",
  "character char",
  "command cmd",
  "configuration config conf cfg",
  "connection conn connect",
  "context ctx",
  "coordinate coord",
  "current cur",
  "database db",
  "definition def",
  "delete del",
  "description desc",
  "destination dest dst",
  "directory dir",
  "document doc",
  "element elem el",
  "environment env",
  "error err",
  "execute exec",
  "expression expr",
  "extension ext",
  "format fmt",
  "function fn func",
  "identifier id ident",
  "image img",
  "implementation impl",
  "index idx",
  "information info",
  "initialize init",
  "initial init",
  "integer int",
  "iterator iter",
  "language lang",
  "length len",
  "library lib",
  "manager mgr",
  "maximum max",
  "memory mem",
  "message msg",
  "metadata meta",
  "minimum min",
  "number num",
  "object obj",
  "option opt opts",
  "package pkg",
  "parameter param params",
  "password pwd passwd",
  "position pos",
  "previous prev",
  "process proc",
  "property prop props",
  "query q",
  "reference ref",
  "regex regexp",
  "repository repo",
  "request req",
  "response res resp",
  "second sec",
  "sequence seq",
  "session sess",
  "signature sig",
  "source src",
  "standard std",
  "statistics stats stat",
  "string str",
  "subscription sub",
  "synchronous sync",
  "synchronously sync",
  "system sys",
  "temporary temp tmp",
  "token tok",
  "transaction tx txn",
  "user usr",
  "utility util",
  "value val",
  "variable var",
  "version ver",
  "websocket ws",
];

const CODE_SYNONYM_GROUPS: readonly string[] = [
  "byte buffer binary uint8",
  "check assert ensure guard",
  "child sub nested inner",
  "choice enum allowed",
  "compute calculate determine",
  "deep recursive nested",
  "duplicate identical dedupe deduplicate deduplication",
  "exit quit",
  "field property attribute column",
  "forward redirect",
  "hook before after pre post lifecycle",
  "link url uri href location",
  "list array collection",
  "middleware interceptor plugin",
  "optional partial nullable",
  "parse read decode",
  "people human user",
  "playback replay record snapshot",
  "pretty prettify readable print",
  "promise async await",
  "queue buffer fifo",
  "register add use",
  "suggest similar closest",
  "template view render",
  "watch observe subscribe listen",
  "wrap fold",
];

const CODE_SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const related = new Map<string, Set<string>>();
  const relate = (word: string, other: string): void => {
    const known = related.get(normalizeSearchTerm(word)) ?? new Set<string>();
    related.set(normalizeSearchTerm(word), known.add(normalizeSearchTerm(other)));
  };
  for (const [word = "", ...forms] of CODE_ABBREVIATIONS.map((line) => line.split(" ")))
    for (const form of forms) {
      relate(word, form);
      relate(form, word);
    }
  for (const words of CODE_SYNONYM_GROUPS.map((line) => line.split(" ")))
    for (const word of words) for (const other of words) if (other !== word) relate(word, other);
  return related;
})();

export const listCodeSynonyms = (term: string): Iterable<string> => CODE_SYNONYMS.get(term) ?? [];

/** Word boundaries within a name: `validateToken`, `HTTPServer`, `sha256sum`. */
const NAME_PART_BOUNDARY = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;

/** Terms of code and prose, each once: whole names and their parts. */
export function extractIndexTerms(text: string): Set<string> {
  const terms = new Set<string>();
  // Fast path with a cache: most code is ASCII and repeats the same names.
  if (ASCII_TEXT.test(text)) {
    for (const name of text.match(/[A-Za-z0-9]+/g) ?? []) for (const term of extractNameTerms(name)) terms.add(term);
    return terms;
  }
  for (const word of splitSearchWords(text)) terms.add(normalizeSearchTerm(word));
  for (const word of splitSearchWords(text.replaceAll(NAME_PART_BOUNDARY, " "))) terms.add(normalizeSearchTerm(word));
  return terms;
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const ASCII_TEXT = /^[\0-\x7f]*$/;
const knownNameTerms = new Map<string, readonly string[]>();
const MAX_KNOWN_NAMES = 100_000;

function extractNameTerms(name: string): readonly string[] {
  const found = knownNameTerms.get(name);
  if (found !== undefined) return found;
  const terms = [
    ...new Set(
      [...splitSearchWords(name), ...splitSearchWords(name.replaceAll(NAME_PART_BOUNDARY, " "))].map(
        normalizeSearchTerm,
      ),
    ),
  ];
  if (knownNameTerms.size >= MAX_KNOWN_NAMES) knownNameTerms.clear();
  knownNameTerms.set(name, terms);
  return terms;
}

/** `parseDate` becomes `parse Date`. */
export const splitNameParts = (text: string): string => text.replaceAll("_", " ").replaceAll(NAME_PART_BOUNDARY, " ");

/** Appends the parts of each name, so that prose about it matches: `parseDate parse Date`. */
const appendNameParts = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}_$]+/gu, (name) => {
    const parts = name.replaceAll("_", " ").replaceAll(NAME_PART_BOUNDARY, " ").trim();
    return parts === name || parts === "" ? name : `${name.replaceAll("_", "")} ${parts}`;
  });
