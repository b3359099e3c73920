import { quote } from "../../quote.ts";
import type { GivenWhenThen } from "./sentence.ts";

const VAGUE_WORDS =
  /\b(?:fast(?:er)?|quick(?:ly)?|slow(?:ly)?|user-friendly|friendly|intuitive(?:ly)?|easy|easily|properly|correctly|appropriate(?:ly)?|reasonabl[ey]|robust(?:ly)?|seamless(?:ly)?|efficient(?:ly)?|smooth(?:ly)?|works?|working|as expected|good|nice(?:ly)?|better|flexible|scalable|well|etc)\b/i;

const DEFINITE_VALUE = /\d|["'“‘`«][^"'”’`»]{2,200}["'”’`»]/;

/** Reasons that follow the criterion's id in a message. Empty for a testable criterion. */
export function explainUntestable({ given = "", when: whenever = "", then: outcome = "" }: GivenWhenThen): string[] {
  const parts = [
    ["Given", given],
    ["When", whenever],
    ["Then", outcome],
  ] as const;
  const missing = parts.filter(([, text]) => text.trim() === "").map(([name]) => name);
  if (missing.length > 0) return [`has no ${missing.join(" and no ")}: write Given …, When …, Then …`];
  const slight = parts.filter(([, text]) => countTextWords(text) < 2);
  const [vague] = VAGUE_WORDS.exec(outcome) ?? [];
  return [
    ...slight.map(([name, text]) => `says too little after ${name}: ${quote(text, 40)}`),
    ...(vague !== undefined && !DEFINITE_VALUE.test(outcome)
      ? [`cannot be tested: ${quote(vague, 40)} needs a number, or the exact words that are seen`]
      : []),
  ];
}

const countTextWords = (text: string): number =>
  text
    .trim()
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export const isMeasurableText = (text: string): boolean =>
  /\d[\d.,]*\s?(?:%|‰|[\p{L}€$£°µ])|[€$£<>≤≥]\s?\d/u.test(text);

export const isMeasurableTarget = (text: string): boolean =>
  /\d|\b(?:zero|none|no|all|every|never|always|yes|true|false)\b/i.test(text);
