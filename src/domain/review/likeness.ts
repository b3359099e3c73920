import { isStopWord, extractSearchTerms } from "../memory/words.ts";
import type { ReviewFinding } from "./finding.ts";
import { normalizeCategoryName } from "./verdict.ts";

/** Share of the shorter description's words that both must contain. */
const MIN_FINDING_OVERLAP = 0.5;

export interface FindingSignature {
  readonly at: string;
  readonly place: string;
  readonly key: string;
  readonly words: ReadonlySet<string>;
  /** Words in quotes or written as code. */
  readonly names: ReadonlySet<string>;
}

/** Equal for a finding that is repeated with different lines, quotes, case or spacing. */
export const formatFindingKey = (finding: ReviewFinding): string => createFindingSignature(finding).key;

export function createFindingSignature({ category, location, description }: ReviewFinding): FindingSignature {
  const at = normalizeFindingLocation(location);
  const place = `${normalizeCategoryName(category)}|${at}`;
  return {
    at,
    place,
    key: `${place}|${normalizeFindingText(description)}`,
    words: extractMeaningfulWords(description),
    names: extractNamedCode(description),
  };
}

/**
 * Same category, same location, similar words. Findings that name different code or quote different words are
 * different, however similar the rest is.
 */
export function isSameFinding(one: FindingSignature, other: FindingSignature): boolean {
  if (one.key === other.key) return true;
  return (
    one.place === other.place &&
    !hasDifferentNames(one, other) &&
    measureWordOverlap(one.words, other.words) >= MIN_FINDING_OVERLAP
  );
}

export function isFindingMentioned(finding: FindingSignature, text: string): boolean {
  const told = { words: extractMeaningfulWords(text), names: extractNamedCode(text) };
  if (finding.words.size === 0 || hasDifferentNames(finding, told)) return false;
  return countSharedWords(finding.words, told.words) / finding.words.size >= MIN_FINDING_OVERLAP;
}

type NamedCode = Pick<FindingSignature, "names">;

const hasDifferentNames = (one: NamedCode, other: NamedCode): boolean =>
  one.names.size > 0 && other.names.size > 0 && countSharedWords(one.names, other.names) === 0;

function measureWordOverlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const fewer = Math.min(one.size, other.size);
  return fewer === 0 ? 0 : countSharedWords(one, other) / fewer;
}

const countSharedWords = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

const QUOTE_MARKS = /["'`“”‘’«»]/g;
const LINE_REFERENCE_PATTERN =
  / ?\(?(?:#l\d+(?:-l?\d+)?|\blines? ?\d+(?: ?[-–,] ?\d+)*|:\d+(?:[:-]\d+)*(?!\w|\.\d))\)?/g;

function normalizeFindingLocation(location: string): string {
  return removeLineReferences(location)
    .replaceAll("\\", "/")
    .replace(QUOTE_MARKS, "")
    .replaceAll(" ", "")
    .replace(/^\.\//, "");
}

const normalizeFindingText = (description: string): string =>
  removeLineReferences(description).replace(QUOTE_MARKS, "").replaceAll("  ", " ").trim().replace(/\.$/, "");

const removeLineReferences = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim().replace(LINE_REFERENCE_PATTERN, "");

export function extractMeaningfulWords(description: string): ReadonlySet<string> {
  const words = removeLineReferences(description);
  return new Set(extractSearchTerms(words).filter((word) => !isStopWord(word)));
}

const QUOTED_TEXT_PATTERN = /(?<![\p{L}\p{N}])["'`“‘«]([^"'`“”‘’«»]{1,80})["'`”’»](?![\p{L}\p{N}])/gu;
/** Matches a call, but not the plural `file(s)`. */
const CODE_WORD_PATTERN = /[\p{L}\p{N}_$]+(?:\((?!s\)))?/gu;

export function extractNamedCode(description: string): ReadonlySet<string> {
  const quoted = Array.from(description.matchAll(QUOTED_TEXT_PATTERN), ([, name]) => name ?? "");
  const code = (description.match(CODE_WORD_PATTERN) ?? []).filter((word) => /\($|._|\p{Ll}\p{Lu}/u.test(word));
  return new Set([...quoted, ...code].flatMap((name) => name.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []));
}
