import { proseLines } from "../document/prose.ts";
import { sectionNamed } from "../document/section.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import { type Given, type Item, itemProblems, numbered, Numbering, sameText, splitItems } from "./items.ts";
import { HEADINGS } from "./place.ts";

export interface Constraint extends Item {
  readonly when: string;
  readonly imposes: string;
  readonly otherwise?: string;
}

export function constraintsIn(markdown: string): Item[] {
  const section = sectionNamed(proseLines(markdown), HEADINGS.constraints) ?? [];
  return splitItems(section.map(({ text }) => text).join("\n")).flatMap(({ id, text }) =>
    id?.startsWith("BR-") ? [{ id, text }] : [],
  );
}

export const ruleIdsLive = (markdown: string): string[] => constraintsIn(markdown).map(({ id }) => id);

export function parseConstraints(markdown: string): Constraint[] {
  return constraintsIn(markdown).flatMap((item) => {
    const parts = partsOf(item.text);
    return parts ? [{ ...item, ...parts }] : [];
  });
}

export function constraintProblems(items: readonly Item[]): Problem[] {
  return items
    .filter(({ text }) => text.trim() !== "" && !partsOf(text))
    .map(({ id, text }) => ({
      problem: `${id} is not in the form "When … Then … [Otherwise …]": ${quote(text.split("\n", 1)[0] ?? "", 80)}.`,
    }));
}

/** Linear in the length of the text: each keyword is searched after the previous one. */
function partsOf(text: string): Omit<Constraint, keyof Item> | undefined {
  const bare = text.replace(/[*_`]/g, "").trim();
  const opening = /^\W{0,4}when\b/i.exec(bare);
  const then = /\bthen\b/i.exec(bare);
  if (!opening || !then) return undefined;
  const tail = bare.slice(then.index + then[0].length);
  const or = /\botherwise\b/i.exec(tail);
  const when = trimmed(bare.slice(opening[0].length, then.index));
  const imposes = trimmed(or ? tail.slice(0, or.index) : tail);
  const otherwise = or ? trimmed(tail.slice(or.index + or[0].length)) : "";
  if (when === "" || imposes === "" || (or && otherwise === "")) return undefined;
  return { when, imposes, ...(otherwise === "" ? {} : { otherwise }) };
}

const SEPARATORS = new Set(" ,;:.\n\r\t");

function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && SEPARATORS.has(text[from] ?? "")) from++;
  while (to > from && SEPARATORS.has(text[to - 1] ?? "")) to--;
  return text.slice(from, to);
}

export function numberConstraints(
  list: string,
  before: string | undefined,
  { taken, removed }: Given,
): { items: Item[]; problems: Problem[] } {
  const old = constraintsIn(before ?? "");
  const known = new Map(old.map(({ id, text }): [string, string] => [sameText(text), id]));
  const given = splitItems(list).flatMap(({ id }) => id ?? []);
  const items = numbered(list, new Numbering("BR", known, [...taken, ...removed, ...given]));
  const present = new Set(items.map(({ id }) => id));
  return {
    items,
    problems: [
      ...itemProblems(items, "BR", "the constraints"),
      ...taken
        .filter((id) => id.startsWith("BR-") && !present.has(id) && !removed.includes(id))
        .map((id) => ({ problem: `${id} is gone: keep it, and say in it that it no longer holds.` })),
    ],
  };
}

export function termsIn(markdown: string): string[] {
  const lines = proseLines(markdown);
  const sections = ["Definitions", "Glossary"].flatMap((name) => sectionNamed(lines, name) ?? []);
  return parseTerms(sections.map(({ text }) => text).join("\n"));
}

/** Reads lines such as `- **Customer**: a person who…`. */
export function parseTerms(list: string): string[] {
  return list.split(/\r?\n/).flatMap((line) => {
    const match =
      /^\s*(?:[-*+]\s+|\d{1,4}[.)]\s+|\|\s*)?(?:[*_`"]{1,3}([^*_`":|]{2,60})[*_`"]{1,3}|([\p{Lu}][\p{L}\p{N} /-]{1,58}?))\s*(?::|—|–|\||\bmeans\b|\bis\b)/u.exec(
        line,
      );
    const term = (match?.[1] ?? match?.[2])?.trim();
    return term ? [term] : [];
  });
}
