const WORD_PATTERN = /[\p{L}\p{N}]+/gu;
/** Scripts without spaces. A run of letters is indexed as pairs of neighbours. */
export const UNSPACED_SCRIPTS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const UNSPACED_RUN_PATTERN = new RegExp(`[${UNSPACED_SCRIPTS}]+`, "gu");
const MAX_WORD_LENGTH = 64;

const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    "a about above after again all also am an and any are as at be because been before being below between both but",
    "by can could d did didn do does doesn doing don done down during each ever few for from further get gets getting",
    "got had has hasn have haven having he her here hers him his how i if in into is isn it its itself just ll m may",
    "me might more most must my no nor not now of off on once only or other our ours out over own please re s same",
    "shall she should shouldn so some such t than that the their them then there these they this those through to too",
    "under until up us ve very was wasn we were weren what when where which while who whom whose why will with won",
    "would wouldn you your yours",
  ]
    .join(" ")
    .split(" "),
);

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

/** In order, in lower case and without diacritics. */
export function splitSearchWords(text: string): string[] {
  if (isAsciiText(text))
    return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.slice(0, MAX_WORD_LENGTH));
  const words = foldDiacritics(text).match(WORD_PATTERN) ?? [];
  return words.flatMap((word) => (isAsciiText(word) ? [word.slice(0, MAX_WORD_LENGTH)] : splitUnspacedWord(word)));
}

const cachedTerms = new Map<string, string>();
const MAX_CACHED_TERMS = 200_000;

/** The stem of a word's base form, as the index stores it. */
export function normalizeSearchTerm(word: string): string {
  const found = cachedTerms.get(word);
  if (found !== undefined) return found;
  const term = stemEnglishWord(resolveWordForm(word));
  if (cachedTerms.size >= MAX_CACHED_TERMS) cachedTerms.clear();
  cachedTerms.set(word, term);
  return term;
}

/** `thought` and `thoughts` both become `think`. */
function resolveWordForm(word: string): string {
  const base = findBaseWord(word);
  if (base !== word || !word.endsWith("s")) return base;
  const singular = word.slice(0, -1);
  const behind = findBaseWord(singular);
  return behind === singular ? word : behind;
}

export const extractSearchTerms = (text: string): string[] => splitSearchWords(text).map(normalizeSearchTerm);

function foldDiacritics(text: string): string {
  return text
    .toWellFormed()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const isAsciiText = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

function splitUnspacedWord(word: string): string[] {
  const parts: string[] = [];
  let end = 0;
  for (const match of word.matchAll(UNSPACED_RUN_PATTERN)) {
    if (match.index > end) parts.push(word.slice(end, match.index));
    const letters = Array.from(match[0]);
    if (letters.length === 1) parts.push(match[0]);
    for (let i = 1; i < letters.length; i++) parts.push(`${letters[i - 1]}${letters[i]}`);
    end = match.index + match[0].length;
  }
  if (end < word.length) parts.push(word.slice(end));
  return parts.map((part) => Array.from(part).slice(0, MAX_WORD_LENGTH).join(""));
}

/**
 * Porter's algorithm of 1980: `connections`, `connected` and `connecting` become `connect`. Short words and words of
 * other alphabets stay.
 */
export function stemEnglishWord(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let it = word;
  it = removePluralEnding(it);
  it = removePastEnding(it);
  if (/.*[aeiouy].*y$/.test(it)) it = `${it.slice(0, -1)}i`;
  it = replaceWordEnding(it, DOUBLE_ENDINGS);
  it = replaceWordEnding(it, FULL_ENDINGS);
  it = removeLastEnding(it);
  return removeFinalLetterE(it);
}

const CONSONANT_CLASS = "[^aeiou]";
const VOWEL_CLASS = "[aeiouy]";
const CONSONANT_RUN = `(?:${CONSONANT_CLASS}[^aeiouy]*)`;
const VOWEL_RUN = `(?:${VOWEL_CLASS}[aeiou]*)`;
/** Porter's measure: how often a vowel is followed by a consonant. */
const MEASURE_ABOVE_ZERO = new RegExp(`^${CONSONANT_RUN}?${VOWEL_RUN}${CONSONANT_RUN}`);
const MEASURE_ABOVE_ONE = new RegExp(`^${CONSONANT_RUN}?${VOWEL_RUN}${CONSONANT_RUN}${VOWEL_RUN}${CONSONANT_RUN}`);
const MEASURE_EXACTLY_ONE = new RegExp(`^${CONSONANT_RUN}?${VOWEL_RUN}${CONSONANT_RUN}${VOWEL_RUN}?$`);
const HAS_VOWEL_PATTERN = new RegExp(`^${CONSONANT_RUN}?${VOWEL_CLASS}`);
/** Ends like `hop`: consonant, vowel, consonant other than w, x and y. */
const SHORT_SYLLABLE_PATTERN = new RegExp(`^${CONSONANT_RUN}${VOWEL_CLASS}[^aeiouwxy]$`);

function removePluralEnding(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function removePastEnding(word: string): string {
  if (word.endsWith("eed")) return MEASURE_ABOVE_ZERO.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const match = /^(.+?)(?:ed|ing)$/.exec(word);
  const base = match?.[1];
  if (base === undefined || !HAS_VOWEL_PATTERN.test(base)) return word;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (/([^aeiouylsz])\1$/.test(base)) return base.slice(0, -1);
  return SHORT_SYLLABLE_PATTERN.test(base) ? `${base}e` : base;
}

type EndingRules = readonly (readonly [ending: string, instead: string])[];

const DOUBLE_ENDINGS: EndingRules = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["ator", "ate"],
  ["alli", "al"],
  ["logi", "log"],
  ["bli", "ble"],
  ["eli", "e"],
];

const FULL_ENDINGS: EndingRules = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

function replaceWordEnding(word: string, endings: EndingRules): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (!found) return word;
  const base = word.slice(0, -found[0].length);
  return MEASURE_ABOVE_ZERO.test(base) ? base + found[1] : word;
}

const LAST_ENDING_PATTERN = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou)$/;

function removeLastEnding(word: string): string {
  const ending = /[st]ion$/.test(word) ? "ion" : LAST_ENDING_PATTERN.exec(word)?.[0];
  if (ending === undefined) return word;
  const base = word.slice(0, -ending.length);
  return MEASURE_ABOVE_ONE.test(base) ? base : word;
}

function removeFinalLetterE(word: string): string {
  let it = word;
  if (it.endsWith("e")) {
    const base = it.slice(0, -1);
    if (MEASURE_ABOVE_ONE.test(base) || (MEASURE_EXACTLY_ONE.test(base) && !SHORT_SYLLABLE_PATTERN.test(base)))
      it = base;
  }
  return it.endsWith("ll") && MEASURE_ABOVE_ONE.test(it) ? it.slice(0, -1) : it;
}

const IRREGULAR_FORMS: Readonly<Record<string, string>> = {
  analysis: "analyses",
  become: "became",
  begin: "began begun",
  behavior: "behaviour",
  bind: "bound",
  break: "broke broken",
  bring: "brought",
  build: "built",
  buy: "bought",
  catalog: "catalogue",
  catch: "caught",
  center: "centre",
  child: "children",
  choose: "chose chosen",
  color: "colour",
  come: "came",
  criterion: "criteria",
  deal: "dealt",
  draw: "drew drawn",
  drive: "drove driven",
  expire: "expiry",
  fall: "fell fallen",
  feed: "fed",
  feel: "felt",
  find: "found",
  forget: "forgot forgotten",
  freeze: "froze frozen",
  give: "gave given",
  go: "goes went gone",
  grow: "grew grown",
  hang: "hung",
  hide: "hid hidden",
  hold: "held",
  index: "indices indexes",
  keep: "kept",
  know: "knew known",
  lead: "led",
  leave: "left",
  license: "licence",
  lose: "lost",
  make: "made",
  matrix: "matrices",
  mean: "meant",
  meet: "met",
  pay: "paid",
  person: "people",
  rise: "rose risen",
  run: "ran",
  say: "said",
  see: "saw seen",
  sell: "sold",
  send: "sent",
  shake: "shook shaken",
  show: "shown",
  shrink: "shrank shrunk",
  sleep: "slept",
  speak: "spoke spoken",
  spend: "spent",
  stand: "stood",
  steal: "stole stolen",
  stick: "stuck",
  swap: "swop",
  sweep: "swept",
  take: "took taken",
  teach: "taught",
  tear: "tore torn",
  tell: "told",
  think: "thought",
  throw: "threw thrown",
  understand: "understood",
  vertex: "vertices",
  wake: "woke woken",
  win: "won",
  write: "wrote written",
};

const PROGRAMMER_ABBREVIATIONS: Readonly<Record<string, string>> = {
  administrator: "admin admins",
  application: "app apps",
  argument: "arg args",
  asynchronous: "async",
  authentication: "auth authn",
  configuration: "config configs cfg",
  database: "db dbs",
  dependency: "dep deps",
  development: "dev",
  directory: "dir dirs",
  documentation: "doc docs",
  environment: "env envs",
  error: "err errs",
  implementation: "impl",
  javascript: "js",
  kubernetes: "k8s",
  message: "msg msgs",
  parameter: "param params",
  performance: "perf",
  postgresql: "postgres pg",
  production: "prod",
  python: "py",
  repository: "repo repos",
  request: "req reqs",
  response: "resp",
  temporary: "tmp temp",
  typescript: "ts",
  variable: "var vars",
};

const BASE_WORDS: ReadonlyMap<string, string> = new Map(
  [...Object.entries(IRREGULAR_FORMS), ...Object.entries(PROGRAMMER_ABBREVIATIONS)].flatMap(([base, forms]) =>
    forms.split(" ").map((form): [string, string] => [form, base]),
  ),
);

const findBaseWord = (word: string): string => BASE_WORDS.get(word) ?? word;
