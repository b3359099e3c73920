import { parseProseLines } from "../document/prose.ts";
import { findSectionLines } from "../document/section.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import {
  type AssignedIds,
  type NumberedItem,
  findItemProblems,
  numberListItems,
  IdNumbering,
  normalizeItemText,
  splitListItems,
} from "./items.ts";
import { REQUIREMENT_LIST_HEADINGS } from "./place.ts";

export interface BusinessConstraint extends NumberedItem {
  readonly when: string;
  readonly imposes: string;
  readonly otherwise?: string;
}

export function parseConstraintItems(markdown: string): NumberedItem[] {
  const section = findSectionLines(parseProseLines(markdown), REQUIREMENT_LIST_HEADINGS.constraints) ?? [];
  return splitListItems(section.map(({ text }) => text).join("\n")).flatMap(({ id, text }) =>
    id?.startsWith("BR-") ? [{ id, text }] : [],
  );
}

export const listConstraintIds = (markdown: string): string[] => parseConstraintItems(markdown).map(({ id }) => id);

export function parseBusinessConstraints(markdown: string): BusinessConstraint[] {
  return parseConstraintItems(markdown).flatMap((item) => {
    const parts = parseConstraintParts(item.text);
    return parts ? [{ ...item, ...parts }] : [];
  });
}

export function findConstraintProblems(items: readonly NumberedItem[]): Problem[] {
  return items
    .filter(({ text }) => text.trim() !== "" && !parseConstraintParts(text))
    .map(({ id, text }) => ({
      problem: `${id} is not in the form "When … Then … [Otherwise …]": ${quote(text.split("\n", 1)[0] ?? "", 80)}.`,
    }));
}

/** Linear in the length of the text: each keyword is searched after the previous one. */
function parseConstraintParts(text: string): Omit<BusinessConstraint, keyof NumberedItem> | undefined {
  const bare = text.replace(/[*_`]/g, "").trim();
  const opening = /^\W{0,4}when\b/i.exec(bare);
  const then = /\bthen\b/i.exec(bare);
  if (!opening || !then) return undefined;
  const tail = bare.slice(then.index + then[0].length);
  const or = /\botherwise\b/i.exec(tail);
  const when = trimClauseSeparators(bare.slice(opening[0].length, then.index));
  const imposes = trimClauseSeparators(or ? tail.slice(0, or.index) : tail);
  const otherwise = or ? trimClauseSeparators(tail.slice(or.index + or[0].length)) : "";
  if (when === "" || imposes === "" || (or && otherwise === "")) return undefined;
  return { when, imposes, ...(otherwise === "" ? {} : { otherwise }) };
}

const CLAUSE_SEPARATORS = new Set(" ,;:.\n\r\t");

function trimClauseSeparators(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && CLAUSE_SEPARATORS.has(text[from] ?? "")) from++;
  while (to > from && CLAUSE_SEPARATORS.has(text[to - 1] ?? "")) to--;
  return text.slice(from, to);
}

export function assignConstraintIds(
  list: string,
  before: string | undefined,
  { taken, removed }: AssignedIds,
): { items: NumberedItem[]; problems: Problem[] } {
  const old = parseConstraintItems(before ?? "");
  const known = new Map(old.map(({ id, text }): [string, string] => [normalizeItemText(text), id]));
  const given = splitListItems(list).flatMap(({ id }) => id ?? []);
  const items = numberListItems(list, new IdNumbering("BR", known, [...taken, ...removed, ...given]));
  const present = new Set(items.map(({ id }) => id));
  return {
    items,
    problems: [
      ...findItemProblems(items, "BR", "the constraints"),
      ...taken
        .filter((id) => id.startsWith("BR-") && !present.has(id) && !removed.includes(id))
        .map((id) => ({ problem: `${id} is gone: keep it, and say in it that it no longer holds.` })),
    ],
  };
}

export function listDefinedTerms(markdown: string): string[] {
  const lines = parseProseLines(markdown);
  const sections = ["Definitions", "Glossary"].flatMap((name) => findSectionLines(lines, name) ?? []);
  return parseTermDefinitions(sections.map(({ text }) => text).join("\n"));
}

/** Reads lines such as `- **Customer**: a person who…`. */
export function parseTermDefinitions(list: string): string[] {
  return list.split(/\r?\n/).flatMap((line) => {
    const match =
      /^\s*(?:[-*+]\s+|\d{1,4}[.)]\s+|\|\s*)?(?:[*_`"]{1,3}([^*_`":|]{2,60})[*_`"]{1,3}|([\p{Lu}][\p{L}\p{N} /-]{1,58}?))\s*(?::|—|–|\||\bmeans\b|\bis\b)/u.exec(
        line,
      );
    const term = (match?.[1] ?? match?.[2])?.trim();
    return term ? [term] : [];
  });
}
