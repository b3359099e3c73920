const MAX_SLUG_LENGTH = 50;

/** Reserved by a file system, by git or by JavaScript objects. */
const RESERVED_SLUG_PATTERN =
  /^(con|prn|aux|nul|com\d|lpt\d|head|constructor|prototype|tostring|valueof|hasownproperty)$/;

/** Letters that Unicode does not decompose into a base letter and a mark. */
const FOLDED_LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ə: "e",
  ħ: "h",
  ı: "i",
  ł: "l",
  ŋ: "n",
  þ: "th",
  ŧ: "t",
};
const FOLDED_LETTER_PATTERN = new RegExp(`[${Object.keys(FOLDED_LETTERS).join("")}]`, "g");

/**
 * Folder name for a sentence: `Añadir autenticación` → `anadir-autenticacion`. If nothing folds to ASCII, uses a short
 * hash that is stable per sentence.
 */
export function createSlug(sentence: string, fallback: string, limit = MAX_SLUG_LENGTH): string {
  const folded = sentence
    .toWellFormed()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(FOLDED_LETTER_PATTERN, (letter) => FOLDED_LETTERS[letter] ?? "");
  const hyphenated = folded.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  const slug = cutSlugAtWord(hyphenated, limit);
  if (slug === "" || RESERVED_SLUG_PATTERN.test(slug)) return `${fallback}-${hashSlugText(sentence)}`;
  return slug;
}

export function findFreeSlug(slug: string, isTaken: (candidate: string) => boolean): string {
  if (!isTaken(slug)) return slug;
  for (let n = 2; ; n++) {
    const suffix = `-${n}`;
    const candidate = cutSlugAtWord(slug, MAX_SLUG_LENGTH - suffix.length) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

function cutSlugAtWord(text: string, limit = MAX_SLUG_LENGTH): string {
  if (text.length <= limit) return text;
  const wordEnd = text.lastIndexOf("-", limit);
  return wordEnd > 0 ? text.slice(0, wordEnd) : text.slice(0, limit);
}

/** FNV-1a over UTF-16 units: stable and short, not cryptographic. */
function hashSlugText(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(7, "0");
}
