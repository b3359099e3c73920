import { type Answer, NOTHING } from "#domain/indexing/query/answer.ts";
import type { Ask } from "#domain/indexing/query/ask.ts";
import { wordingOf } from "#domain/indexing/query/wording.ts";
import { termsOfCode } from "#domain/indexing/words.ts";
import type { Engine } from "../../engine.ts";

const MOST = 300;
const SHOWN = 6;

export async function changesIn({ source, clock }: Pick<Engine, "source" | "clock">, ask: Ask): Promise<Answer> {
  const commits = (await source.commits({ most: MOST })) ?? [];
  const { terms } = wordingOf(ask.about.replaceAll(WHEN, " "), clock.now());
  const isMeant = (text: string): boolean => {
    const held = termsOfCode(text);
    return terms.every((term) => held.has(term));
  };
  const meant = commits.filter(({ subject, files }) => isMeant(subject) || files.some(({ path }) => isMeant(path)));
  if (meant.length === 0) return NOTHING;
  const values = meant.slice(0, SHOWN).map(({ hash, at, subject, files }) => {
    const path = files.find((file) => isMeant(file.path))?.path;
    return `${hash.slice(0, 7)} ${at.slice(0, 10)} ${subject}${path === undefined ? "" : ` (${path})`}`;
  });
  return { ...NOTHING, wish: "changes", facts: [{ what: "commits", values, more: meant.length - values.length }] };
}

const WHEN = /\b(?:recently|lately|today|yesterday|in|to|of|the|this|past|last|week|month|days?)\b/gi;
