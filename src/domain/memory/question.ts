import { daysBefore } from "../day.ts";
import { relatedTo } from "./thesaurus.ts";
import { isStopWord, termOf, wordsOf } from "./words.ts";

/** What somebody wants to find, in the terms of the index. */
export interface Question {
  /** Each once, in the order asked. */
  readonly terms: readonly string[];
  /** Terms that may have been written instead, and how much each counts. */
  readonly hints: ReadonlyMap<string, number>;
  /** How each term was spelled when it was first asked for. */
  readonly spelled: ReadonlyMap<string, string>;
  /** Each as the terms that must follow one another. */
  readonly phrases: readonly (readonly string[])[];
  /** Neighbouring terms; where they are neighbours in a text as well, it speaks of the same thing. */
  readonly pairs: readonly (readonly [string, string])[];
  readonly type?: string;
  readonly project?: string;
  /** UTC, as `2026-01-31T00:00:00Z`. */
  readonly since?: string;
}

/** More does not sharpen a question, and a whole file may be pasted as one. */
const MOST_TERMS = 40;
const LONGEST = 8_000;
const FILTER = /(?:^|\s)(type|project|since):(?:"([^"]*)"|([^\s"]\S*))/giu;
const SPANS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 };

/**
 * Reads any text as a question: plain words, "quoted phrases", `type:bugfix`, `project:shop`, `since:2026-01-31` or
 * `since:7d`. What is not quite one of these is taken as words. Nothing is ever wrong with a question.
 */
export function readQuestion(text: string, now: string): Question {
  const filters: { type?: string; project?: string; since?: string } = {};
  const rest = text.slice(0, LONGEST).replaceAll(FILTER, (whole, name: string, quoted?: string, bare?: string) => {
    const value = (quoted ?? bare ?? "").trim();
    const key = name.toLowerCase() as keyof typeof filters;
    const meant = key === "since" ? readSince(value, now) : value;
    if (meant === undefined || meant === "") return whole;
    filters[key] = meant;
    return " ";
  });
  const phrases = [...rest.matchAll(/"([^"]+)"/g)]
    .map(([, phrase = ""]) => wordsOf(phrase).map(termOf))
    .filter((phrase) => phrase.length > 0)
    .map((phrase) => phrase.slice(0, MOST_TERMS));
  const all = wordsOf(rest);
  const telling = all.filter((word) => !isStopWord(word));
  const asked = (telling.length > 0 ? telling : all).slice(0, MOST_TERMS);
  const terms = asked.map(termOf);
  const spelled = new Map(asked.toReversed().map((word): [string, string] => [termOf(word), word]));
  return {
    terms: [...new Set(terms)],
    hints: hintsFor(terms),
    spelled,
    phrases,
    pairs: terms.slice(1).flatMap((term, i) => (term === terms[i] ? [] : [[terms[i] ?? "", term] as const])),
    ...filters,
  };
}

/** What a related word counts, and what two words count that were written as one. */
const RELATED = 0.4;
const JOINED = 1;
/** Each is a look into the index, and a long question has enough words of its own. */
const MOST_HINTS = 60;

function hintsFor(terms: readonly string[]): Map<string, number> {
  const related = terms.flatMap((term) => [...relatedTo(term)].map((other): [string, number] => [other, RELATED]));
  const joined = terms.slice(1).map((term, i): [string, number] => [`${terms[i]}${term}`, JOINED]);
  const hints = new Map([...joined, ...related]);
  for (const term of terms) hints.delete(term);
  return new Map([...hints].slice(0, MOST_HINTS));
}

/** A day, a moment, or so long ago; nothing where it is none of these. */
export function readSince(value: string, now: string): string | undefined {
  const [, count = "", unit = ""] = /^(\d{1,4})([dwmy])$/i.exec(value) ?? [];
  const days = SPANS[unit.toLowerCase()];
  if (days !== undefined) return daysBefore(now, Number(count) * days);
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?Z?)?$/i.exec(value);
  if (!match) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00"] = match;
  const isReal = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  return isReal && isTime ? `${year}-${month}-${day}T${hour}:${minute}:${second}Z` : undefined;
}
