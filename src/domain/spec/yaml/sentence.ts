import type { Located, Plain } from "./located.ts";
import { textOf } from "./located.ts";

/** Longer texts are rejected anyway. */
const LIMIT = 2_000;

/** Splits "As a R, I want F, so that B". Other text becomes `i_want`. */
export function storyForm(node: Located): Plain | undefined {
  return formOf(
    node,
    [
      ["as_a", /^as an?\b/i],
      ["i_want", /\bI want\b/i],
      ["so_that", /\bso that\b/i],
    ],
    "i_want",
  );
}

/** Splits "Given C, When A, Then O". Other text becomes `then`. */
export function criterionForm(node: Located): Plain | undefined {
  const said = saidBy(node, "criterion");
  return said && { ...said.rest, ...partsOrWhole(said.text, GIVEN_WHEN_THEN, "then") };
}

export function criterionText(node: Located): string | undefined {
  if (node.kind !== "mapping") return undefined;
  const [given, whenever, outcome] = ["given", "when", "then"].map((key) => entryText(node, key));
  if (given && whenever && outcome) return `Given ${given}, When ${whenever}, Then ${outcome}`;
  return entryText(node, "criterion") ?? entryText(node, "description");
}

export interface GivenWhenThen {
  readonly given?: string;
  readonly when?: string;
  readonly then?: string;
}

export const givenWhenThen = (text: string): GivenWhenThen => partsOrWhole(text, GIVEN_WHEN_THEN, "then");

/** Wraps a plain text into a record with one field. */
export const asField =
  (field: string) =>
  (node: Located): Plain | undefined => {
    const text = textOf(node);
    return text === undefined ? undefined : { [field]: text };
  };

type Parts = readonly (readonly [name: string, begins: RegExp])[];

const GIVEN_WHEN_THEN: Parts = [
  ["given", /^given\b/i],
  ["when", /\bwhen\b/i],
  ["then", /\bthen\b/i],
];

function formOf(node: Located, parts: Parts, whole: string): Plain | undefined {
  const text = textOf(node);
  return text === undefined ? undefined : partsOrWhole(text, parts, whole);
}

function saidBy(node: Located, field: string): { text: string; rest: Record<string, Plain> } | undefined {
  const text = textOf(node);
  if (text !== undefined) return { text, rest: {} };
  const inner = entryText(node, field);
  if (node.kind !== "mapping" || inner === undefined) return undefined;
  if (node.entries.some(({ key }) => /^(?:given|when|then)$/.test(key))) return undefined;
  const rest = node.entries.flatMap(({ key, value }) =>
    key !== field && value.kind === "scalar" ? [[key, value.value] as const] : [],
  );
  // The conversion must not lose other fields.
  return rest.length === node.entries.length - 1 ? { text: inner, rest: Object.fromEntries(rest) } : undefined;
}

function entryText(node: Located, key: string): string | undefined {
  return node.kind === "mapping" ? textOf(node.entries.find((entry) => entry.key === key)?.value) : undefined;
}

function partsOrWhole(text: string, parts: Parts, whole: string): Record<string, string> {
  return (text.length > LIMIT ? undefined : split(text.trim(), parts)) ?? { [whole]: text };
}

function split(text: string, parts: Parts): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  let rest = text;
  for (const [i, [name, begins]] of parts.entries()) {
    const match = begins.exec(rest);
    if (match === null || (i === 0 && match.index > 0)) return undefined;
    const before = parts[i - 1];
    if (before) found[before[0]] = trimmed(rest.slice(0, match.index));
    found[name] = rest = trimmed(rest.slice(match.index + match[0].length));
  }
  return Object.values(found).includes("") ? undefined : found;
}

function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && /[\s,;:]/.test(text.charAt(from))) from++;
  while (to > from && /[\s,;:]/.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
