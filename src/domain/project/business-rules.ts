import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import { type Item, itemProblems, numbered, Numbering, sameText, splitItems } from "./items.ts";

/** When something holds, then something is imposed, otherwise something follows. */
export interface Constraint extends Item {
  readonly when: string;
  readonly imposes: string;
  readonly otherwise?: string;
}

const FORM =
  /^\W*when\b[\s,:]*(?<when>.+?)[\s,;:.]*\bthen\b[\s,:]*(?<imposes>.+?)(?:[\s,;:.]*\botherwise\b[\s,:]*(?<otherwise>.+?))?[\s.]*$/is;

/** The constraints of a list or of a document; what is not in the form is none. */
export function parseConstraints(list: string): Constraint[] {
  return splitItems(list).flatMap(({ id, text }) => {
    const parts = partsOf(text);
    return id !== undefined && parts ? [{ id, text, ...parts }] : [];
  });
}

function partsOf(text: string): Omit<Constraint, keyof Item> | undefined {
  const { when, imposes, otherwise } = FORM.exec(text.replace(/[*_`]/g, ""))?.groups ?? {};
  if (!when?.trim() || !imposes?.trim()) return undefined;
  return { when: when.trim(), imposes: imposes.trim(), ...(otherwise?.trim() ? { otherwise: otherwise.trim() } : {}) };
}

/** Gives every constraint an id that it keeps, and tells those that are not in the form. */
export function numberConstraints(
  list: string,
  before: string | undefined,
  taken: readonly string[],
): { items: Item[]; problems: Problem[] } {
  const old = splitItems(before ?? "").flatMap(({ id, text }) => (id?.startsWith("BR-") ? [{ id, text }] : []));
  const known = new Map(old.map(({ id, text }): [string, string] => [sameText(text), id]));
  const items = numbered(list, new Numbering("BR", known, taken));
  const present = new Set(items.map(({ id }) => id));
  return {
    items,
    problems: [
      ...itemProblems(items, "BR", "the constraints"),
      ...items
        .filter(({ text }) => text.trim() !== "" && !partsOf(text))
        .map(({ id, text }) => ({
          problem: `${id} is not in the form "When … Then … [Otherwise …]": ${quote(text.split("\n", 1)[0] ?? "", 80)}.`,
        })),
      ...taken
        .filter((id) => id.startsWith("BR-") && !present.has(id))
        .map((id) => ({ problem: `${id} is gone: keep it, and say in it that it no longer holds.` })),
    ],
  };
}

/** The terms that definitions or a glossary explain: `- **Customer**: a person who…`. */
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
