import { type QueryAnswer, EMPTY_ANSWER } from "#domain/indexing/query/answer.ts";
import type { CodeQuestion } from "#domain/indexing/query/ask.ts";
import { createSearchQuestion } from "#domain/indexing/query/wording.ts";
import { extractIndexTerms } from "#domain/indexing/words.ts";
import type { Engine } from "../../engine.ts";

const MAX_SEARCHED_COMMITS = 300;
const MAX_ANSWERED_COMMITS = 6;

export async function findNamedChanges(
  { source, clock }: Pick<Engine, "source" | "clock">,
  ask: CodeQuestion,
): Promise<QueryAnswer> {
  const commits = (await source.commits({ most: MAX_SEARCHED_COMMITS })) ?? [];
  const { terms } = createSearchQuestion(ask.about.replaceAll(TIME_WORDS, " "), clock.now());
  const isMeant = (text: string): boolean => {
    const held = extractIndexTerms(text);
    return terms.every((term) => held.has(term));
  };
  const meant = commits.filter(({ subject, files }) => isMeant(subject) || files.some(({ path }) => isMeant(path)));
  if (meant.length === 0) return EMPTY_ANSWER;
  const values = meant.slice(0, MAX_ANSWERED_COMMITS).map(({ hash, at, subject, files }) => {
    const path = files.find((file) => isMeant(file.path))?.path;
    return `${hash.slice(0, 7)} ${at.slice(0, 10)} ${subject}${path === undefined ? "" : ` (${path})`}`;
  });
  return { ...EMPTY_ANSWER, wish: "changes", facts: [{ what: "commits", values, more: meant.length - values.length }] };
}

const TIME_WORDS = /\b(?:recently|lately|today|yesterday|in|to|of|the|this|past|last|week|month|days?)\b/gi;
