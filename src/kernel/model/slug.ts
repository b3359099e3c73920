import { isStopWord } from "./search/stop-words.ts";

const MAX_SLUG_LENGTH = 50;

/** Reserved by a file system, by git or by JavaScript objects. */
const RESERVED_SLUG_PATTERN =
  /^(con|prn|aux|nul|com\d|lpt\d|head|constructor|prototype|tostring|valueof|hasownproperty)$/;

/** Letters that Unicode does not decompose into a base letter and a mark. */
const FOLDED_LETTERS = new Map(
  "ß=ss æ=ae œ=oe ø=o đ=d ð=d ə=e ħ=h ı=i ł=l ŋ=n þ=th ŧ=t"
    .split(" ")
    .map((pair) => pair.split("=", 2) as [string, string]),
);
const FOLDED_LETTER_PATTERN = new RegExp(`[${[...FOLDED_LETTERS.keys()].join("")}]`, "g");

/** `Añadir autenticación` → `anadir-autenticacion`. Without a letter that folds to ASCII, a short stable hash. */
export function createSlug(sentence: string, fallback: string, limit = MAX_SLUG_LENGTH): string {
  const folded = foldLatinLetters(
    sentence
      .toWellFormed()
      .toLowerCase()
      .normalize("NFKD")
      .replace(/\p{M}+/gu, ""),
  );
  return finishSlug(sentence, folded.match(/[a-z0-9]+/g) ?? [], fallback, limit);
}

/** One word of a readable slug, for a regular expression with the flag `u`. Latin letters are plain a to z. */
export const READABLE_SLUG_WORD = "(?:[a-z0-9]|(?!\\p{Script=Latin})[\\p{Ll}\\p{Lo}\\p{Lm}][\\p{Mn}\\p{Mc}]*)+";

/** As `createSlug`, but letters of other scripts stay: `修复登录` is itself. Every file system takes the result. */
export function createReadableSlug(sentence: string, fallback: string): string {
  const composed = sentence.toWellFormed().toLowerCase().normalize("NFKC");
  const folded = composed.replace(/\p{Script=Latin}\p{M}*/gu, (letter) =>
    foldLatinLetters(letter.normalize("NFKD").replace(/\p{M}+/gu, "")),
  );
  return finishSlug(sentence, folded.match(new RegExp(READABLE_SLUG_WORD, "gu")) ?? [], fallback, MAX_SLUG_LENGTH);
}

const foldLatinLetters = (text: string): string =>
  text.replace(FOLDED_LETTER_PATTERN, (letter) => FOLDED_LETTERS.get(letter) ?? "");

function finishSlug(sentence: string, words: readonly string[], fallback: string, limit: number): string {
  const slug = cutSlugAtWord(words.join("-"), limit);
  return slug === "" || RESERVED_SLUG_PATTERN.test(slug) ? `${fallback}-${hashShortText(sentence)}` : slug;
}

export function findFreeSlug(slug: string, isTaken: (candidate: string) => boolean): string {
  let candidate = slug;
  for (let n = 2; isTaken(candidate); n++) candidate = `${cutSlugAtWord(slug, MAX_SLUG_LENGTH - `-${n}`.length)}-${n}`;
  return candidate;
}

/** Cuts behind a word that can end a name: not behind `and` or `the`. */
function cutSlugAtWord(text: string, limit = MAX_SLUG_LENGTH): string {
  if (text.length <= limit) return text;
  const wordEnd = text.lastIndexOf("-", limit);
  // Half of a character outside the basic plane is no character.
  if (wordEnd <= 0) return text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
  const words = text.slice(0, wordEnd).split("-");
  while (words.length > 1 && isStopWord(words.at(-1) ?? "")) words.pop();
  return words.join("-");
}

/** FNV-1a over UTF-16 units: stable and short, not cryptographic. */
export function hashShortText(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, "0");
}
