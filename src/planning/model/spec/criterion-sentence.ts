import { type LocatedNode, type YamlValue, readYamlText } from "#kernel/model/yaml-tree.ts";
import { quote } from "#kernel/model/text-format.ts";

/** Longer texts are rejected anyway. */
const MAX_PARSED_SENTENCE = 2_000;

/** Splits "As a R, I want F, so that B". Other text becomes `i_want`. */
export function parseUserStory(node: LocatedNode): YamlValue | undefined {
  const text = readYamlText(node);
  return text === undefined ? undefined : splitPartsOrWhole(text, USER_STORY_PARTS, "i_want");
}

/** Splits "Given C, When A, Then O". Other text becomes `then`. */
export function parseCriterionRecord(node: LocatedNode): YamlValue | undefined {
  const text = readYamlText(node);
  if (text !== undefined) return parseGivenWhenThen(text);
  const inner = readEntryText(node, "criterion");
  if (node.kind !== "mapping" || inner === undefined) return undefined;
  if (node.entries.some(({ key }) => /^(?:given|when|then)$/.test(key))) return undefined;
  const rest = node.entries.flatMap(({ key, value }) =>
    key !== "criterion" && value.kind === "scalar" ? [[key, value.value] as const] : [],
  );
  // The conversion must not lose other fields.
  if (rest.length < node.entries.length - 1) return undefined;
  return { ...Object.fromEntries(rest), ...parseGivenWhenThen(inner) };
}

export function formatCriterionText(node: LocatedNode): string | undefined {
  if (node.kind !== "mapping") return undefined;
  const [given, whenever, outcome] = ["given", "when", "then"].map((key) => readEntryText(node, key));
  if (given && whenever && outcome) return `Given ${given}, When ${whenever}, Then ${outcome}`;
  return readEntryText(node, "criterion") ?? readEntryText(node, "description");
}

type GivenWhenThen = Readonly<Partial<Record<"given" | "when" | "then", string | undefined>>>;

export const parseGivenWhenThen = (text: string): Partial<Record<"given" | "when" | "then", string>> =>
  splitPartsOrWhole(text, GIVEN_WHEN_THEN_PARTS, "then");

export const createFieldConverter =
  (field: string) =>
  (node: LocatedNode): YamlValue | undefined => {
    const text = readYamlText(node);
    return text === undefined ? undefined : { [field]: text };
  };

type SentenceParts = readonly (readonly [name: string, begins: RegExp])[];

const USER_STORY_PARTS: SentenceParts = [
  ["as_a", /^as an?\b/i],
  ["i_want", /\bI want\b/i],
  ["so_that", /\bso that\b/i],
];

const GIVEN_WHEN_THEN_PARTS: SentenceParts = [
  ["given", /^given\b/i],
  ["when", /\bwhen\b/i],
  ["then", /\bthen\b/i],
];

const readEntryText = (node: LocatedNode, key: string): string | undefined =>
  node.kind === "mapping" ? readYamlText(node.entries.find((entry) => entry.key === key)?.value) : undefined;

const splitPartsOrWhole = (text: string, parts: SentenceParts, whole: string): Record<string, string> =>
  (text.length > MAX_PARSED_SENTENCE ? undefined : splitSentenceParts(text.trim(), parts)) ?? { [whole]: text };

function splitSentenceParts(text: string, parts: SentenceParts): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  let rest = text;
  for (const [i, [name, begins]] of parts.entries()) {
    const match = begins.exec(rest);
    if (match === null || (i === 0 && match.index > 0)) return undefined;
    const before = parts[i - 1];
    if (before) found[before[0]] = trimSeparators(rest.slice(0, match.index));
    found[name] = rest = trimSeparators(rest.slice(match.index + match[0].length));
  }
  return Object.values(found).includes("") ? undefined : found;
}

function trimSeparators(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && /[\s,;:]/.test(text.charAt(from))) from++;
  while (to > from && /[\s,;:]/.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

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
    ...slight.map(([name, text]) => `is too short after ${name}: ${quote(text, 40)}`),
    ...(vague !== undefined && !DEFINITE_VALUE.test(outcome)
      ? [`cannot be tested: ${quote(vague, 40)} needs a number, or the exact words that users see`]
      : []),
  ];
}

const countTextWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A number with its unit, or a word that sets a count: `zero lost orders`. */
export const isMeasurableText = (text: string): boolean =>
  /\d[\d.,]*\s?(?:%|‰|[\p{L}€$£°µ])|[€$£<>≤≥]\s?\d/u.test(text) ||
  /\b(?:zero|none|no|never|all|every|each|always)\b/i.test(text);

export const isMeasurableTarget = (text: string): boolean =>
  /\d|\b(?:zero|none|no|all|every|never|always|yes|true|false)\b/i.test(text);
