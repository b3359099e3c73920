const DEFAULT_TEXT_LIMIT = 120;

/** Makes untrusted text safe for a message: clipped, quoted, without terminal control characters. */
export const quote = (text: string, limit = DEFAULT_TEXT_LIMIT): string => `"${sanitizeText(text, limit)}"`;

export const sanitizeText = (text: string, limit = DEFAULT_TEXT_LIMIT): string =>
  escapeUnprintable(text.length > limit ? `${text.slice(0, limit)}…` : text);

/** The pattern is in the function: a class of Unicode properties costs up to two milliseconds when it is created. */
export const escapeUnprintable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/gu, formatCodePoint);

/** Unabridged shell syntax. Zero-width, blank and combining characters are escaped, so no two words look alike. */
export const formatExactWord = (word: string): string =>
  quoteShellWord(word).replace(
    /[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu,
    formatCodePoint,
  );

function formatCodePoint(mark: string): string {
  const hex = (mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
}

export const quoteShellWord = (word: string): string =>
  /^[\w./:@%+,=-]+$/.test(word) ? word : `"${word.replace(/["\\$`]/g, "\\$&")}"`;

/** `1 change`, `2 changes`. */
export const formatCount = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** `a, b and 3 more`. `total` counts names that are not in the list. */
export function formatShortList(names: readonly string[], most: number, total = names.length): string {
  const shown = names.slice(0, most);
  return `${shown.join(", ")}${total > shown.length ? ` and ${total - shown.length} more` : ""}`;
}

/**
 * At most two edits away, or one from a short word. Else the only word that begins with the given one, or the word
 * that the given one extends: `claude-code`.
 */
export function findClosestWord(word: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: measureEditDistance(word, candidate) }))
    .filter((entry) => entry.distance <= Math.min(entry.candidate.length > 4 ? 2 : 1, entry.candidate.length - 1))
    .toSorted((a, b) => a.distance - b.distance || Number(isLonger(a)) - Number(isLonger(b)));
  const begun = word.length < 3 ? [] : known.filter((each) => each.startsWith(word));
  if (nearest) return nearest.candidate;
  return begun.length === 1 ? begun[0] : known.find((each) => each.length > 2 && word.startsWith(`${each}-`));

  function isLonger({ candidate }: { readonly candidate: string }): boolean {
    return candidate.length !== word.length;
  }
}

/** ` (did you mean "lint"?)`, or another text if no known word is close. */
export function formatMeantWord(word: string, known: readonly string[], otherwise = ""): string {
  const near = findClosestWord(word, known);
  return near === undefined ? otherwise : ` (did you mean ${quote(near, 60)}?)`;
}

/** `known` are the keys that exist, joined by commas. */
export const formatUnknownKey = (key: string, place: string, known: string): string =>
  `${quote(key, 40)} is not a key of ${place}${formatMeantWord(key, known.split(", "), `, which has ${known}`)}`;

/** Edit distance; two swapped letters are one edit. Cuts the input at 40 characters; no command is longer. */
function measureEditDistance(a: string, b: string): number {
  const left = a.slice(0, 40);
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = left[i - 1] === b[j - 2] && left[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/** Git tools show a subject line up to this length. */
const MAX_SUBJECT_LENGTH = 72;

/** The id of a change is made from its description, so it would only repeat it. */
export function formatCommitMessage(id: string, about: string): string {
  const [first = ""] = about.trim().split(/\r?\n/);
  const prefix = /^[A-Z][A-Z0-9]*-\d/.test(id) ? `${id}: ` : "";
  return `${prefix}${sanitizeText(first, Math.max(MAX_SUBJECT_LENGTH - prefix.length - 1, 20))}`;
}

export const suggestCommitCommand = (id: string, about: string): string =>
  `Stage your files and sdd/, then: git commit -m ${quoteShellWord(formatCommitMessage(id, about))}`;

/** A workflow command that GitHub shows next to the file. */
export function formatGithubAnnotation(annotation: {
  readonly level: "error" | "warning";
  readonly title: string;
  readonly message: string;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}): string {
  const { level, title, message, path, line } = annotation;
  const properties = [
    ...(path === undefined ? [] : [`file=${escapeAnnotationProperty(path)}`]),
    ...(path === undefined || line === undefined ? [] : [`line=${line}`]),
    `title=${escapeAnnotationProperty(title)}`,
  ];
  return `::${level} ${properties.join(",")}::${escapeAnnotationText(message)}`;
}

/** GitHub reads `##[` as a command anywhere in a build log. */
export const escapeLogCommands = (text: string): string => text.replaceAll("##[", "## [");

/** Prevents a message from ending itself or starting a command. */
const escapeAnnotationText = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => escapeUnprintable(line).replaceAll("%", "%25"))
    .join("%0A");

const escapeAnnotationProperty = (text: string): string =>
  escapeAnnotationText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Orders texts by their code units, the same on every machine. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** `a, b and c`. */
export const joinWithAnd = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
