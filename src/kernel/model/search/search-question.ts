import { subtractDays } from "../utc-time.ts";
import { listRelatedTerms, normalizeSearchTerm, splitSearchWords } from "./search-terms.ts";
import { isStopWord } from "./stop-words.ts";

export interface SearchQuestion {
  readonly text: string;
  /** Without duplicates, in the order of the question. */
  readonly terms: readonly string[];
  /** Alternative terms and their weights. */
  readonly hints: ReadonlyMap<string, number>;
  readonly spelled: ReadonlyMap<string, string>;
  readonly phrases: readonly (readonly string[])[];
  /** Neighbouring terms. Texts with the same neighbours rank higher. */
  readonly pairs: readonly (readonly [string, string])[];
  readonly type?: string;
  readonly project?: string;
  /** UTC, as `2026-01-31T00:00:00Z`. */
  readonly since?: string;
}

/** More terms do not help, and a user may paste a whole file. */
const MAX_QUESTION_TERMS = 40;
const MAX_SEARCH_TEXT = 8_000;
const QUESTION_FILTER_PATTERN = /(?:^|\s)(type|project|since):(?:"([^"]*)"|([^\s"]\S*))/giu;
const RELATED_WEIGHT = 0.4;
const JOINED_WEIGHT = 1;
/** Each hint costs an index lookup, and a long question has enough terms. */
const MAX_QUESTION_HINTS = 60;
const SPAN_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 };

/** Parses words, phrases, `type:`, `project:` and `since:`. Any other text counts as words, so all text is valid. */
export function parseSearchQuestion(text: string, now: string): SearchQuestion {
  const filters: { type?: string; project?: string; since?: string } = {};
  const rest = text
    .slice(0, MAX_SEARCH_TEXT)
    .replaceAll(QUESTION_FILTER_PATTERN, (whole, name: string, quoted?: string, bare?: string) => {
      const value = (quoted ?? bare ?? "").trim();
      const key = name.toLowerCase() as keyof typeof filters;
      const meant = key === "since" ? parseSinceDate(value, now) : value;
      if (meant === undefined || meant === "") return whole;
      filters[key] = meant;
      return " ";
    });
  const phrases = [...rest.matchAll(/"([^"]+)"/g)]
    .map(([, phrase = ""]) => splitSearchWords(phrase).map(normalizeSearchTerm))
    .filter((phrase) => phrase.length > 0)
    .map((phrase) => phrase.slice(0, MAX_QUESTION_TERMS));
  const all = splitSearchWords(rest);
  const telling = all.filter((word) => !isStopWord(word));
  const asked = (telling.length > 0 ? telling : all).slice(0, MAX_QUESTION_TERMS);
  const terms = asked.map(normalizeSearchTerm);
  const spelled = new Map(asked.toReversed().map((word): [string, string] => [normalizeSearchTerm(word), word]));
  const related = terms.flatMap((term) => [...listRelatedTerms(term)].map((other) => [other, RELATED_WEIGHT] as const));
  const joined = terms.slice(1).map((term, i) => [`${terms[i]}${term}`, JOINED_WEIGHT] as const);
  const others = [...new Map([...joined, ...related])].filter(([word]) => !terms.includes(word));
  const hints = new Map(others.slice(0, MAX_QUESTION_HINTS));
  return {
    text: text.slice(0, MAX_SEARCH_TEXT),
    terms: [...new Set(terms)],
    hints,
    spelled,
    phrases,
    pairs: terms.slice(1).flatMap((term, i) => (term === terms[i] ? [] : [[terms[i] ?? "", term] as const])),
    ...filters,
  };
}

/** A day, a time or a span such as 7d; undefined for any other text. */
export function parseSinceDate(value: string, now: string): string | undefined {
  const [, count = "", unit = ""] = /^(\d{1,4})([dwmy])$/i.exec(value) ?? [];
  const days = SPAN_DAYS[unit.toLowerCase()];
  if (days !== undefined) return subtractDays(now, Number(count) * days);
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?Z?)?$/i.exec(value);
  const [, year, month = "", day = "", hour = "00", minute = "00", second = "00"] = match ?? [];
  const isDay = month >= "01" && month <= "12" && day >= "01" && day <= "31";
  const isTime = hour < "24" && minute < "60" && second < "60";
  return isDay && isTime ? `${year}-${month}-${day}T${hour}:${minute}:${second}Z` : undefined;
}
