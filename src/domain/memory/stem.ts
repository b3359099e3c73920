/**
 * Porter's algorithm of 1980: `connections`, `connected` and `connecting` become `connect`. Short words and words of
 * other alphabets stay.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let it = word;
  it = withoutPlural(it);
  it = withoutPast(it);
  if (/.*[aeiouy].*y$/.test(it)) it = `${it.slice(0, -1)}i`;
  it = shortened(it, DOUBLE);
  it = shortened(it, FULL);
  it = withoutEnding(it);
  return withoutFinalE(it);
}

const CONSONANT = "[^aeiou]";
const VOWEL = "[aeiouy]";
const RUN = `(?:${CONSONANT}[^aeiouy]*)`;
const VOWELS = `(?:${VOWEL}[aeiou]*)`;
/** Porter's measure: how often a vowel is followed by a consonant. */
const MORE_THAN_0 = new RegExp(`^${RUN}?${VOWELS}${RUN}`);
const MORE_THAN_1 = new RegExp(`^${RUN}?${VOWELS}${RUN}${VOWELS}${RUN}`);
const EXACTLY_1 = new RegExp(`^${RUN}?${VOWELS}${RUN}${VOWELS}?$`);
const HAS_VOWEL = new RegExp(`^${RUN}?${VOWEL}`);
/** Ends like `hop`: consonant, vowel, consonant other than w, x and y. */
const IS_SHORT = new RegExp(`^${RUN}${VOWEL}[^aeiouwxy]$`);

function withoutPlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutPast(word: string): string {
  if (word.endsWith("eed")) return MORE_THAN_0.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const match = /^(.+?)(?:ed|ing)$/.exec(word);
  const base = match?.[1];
  if (base === undefined || !HAS_VOWEL.test(base)) return word;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (/([^aeiouylsz])\1$/.test(base)) return base.slice(0, -1);
  return IS_SHORT.test(base) ? `${base}e` : base;
}

type Endings = readonly (readonly [ending: string, instead: string])[];

const DOUBLE: Endings = [
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

const FULL: Endings = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

function shortened(word: string, endings: Endings): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (!found) return word;
  const base = word.slice(0, -found[0].length);
  return MORE_THAN_0.test(base) ? base + found[1] : word;
}

const LAST = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou)$/;

function withoutEnding(word: string): string {
  const ending = /[st]ion$/.test(word) ? "ion" : LAST.exec(word)?.[0];
  if (ending === undefined) return word;
  const base = word.slice(0, -ending.length);
  return MORE_THAN_1.test(base) ? base : word;
}

function withoutFinalE(word: string): string {
  let it = word;
  if (it.endsWith("e")) {
    const base = it.slice(0, -1);
    if (MORE_THAN_1.test(base) || (EXACTLY_1.test(base) && !IS_SHORT.test(base))) it = base;
  }
  return it.endsWith("ll") && MORE_THAN_1.test(it) ? it.slice(0, -1) : it;
}
