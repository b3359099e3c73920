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
