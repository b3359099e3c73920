import type { Problem } from "../gate/verdict.ts";

/** One item of a list: what has an id in a document. */
export interface Item {
  readonly id: string;
  /** The first line without its id, and the lines below it. */
  readonly text: string;
}

/** Ids that exist already. None of them is ever given to something else. */
export interface Given {
  /** Every id that was ever given. */
  readonly taken: readonly string[];
  /** Those that need not stand in a list: their items were removed in good order, or are yet to come. */
  readonly removed: readonly string[];
}

/** A list's mark and its check box. */
const START = /^(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/s;
/** An id with its emphasis, and what separates it from the text; what is emphasised in the text is left to it. */
const ID =
  /^([*_`]{0,3})((?:N?FR|BR)-\d{3,5})(?![A-Za-z0-9]|-[A-Za-z0-9])(?:\1[ \t]{0,4}[:.–—-]?|[ \t]{0,4}[:.–—-]\1|)(.*)$/s;

/** The items of a list, in order; each begins at the margin. A text without marks has an item a line. */
export function splitItems(list: string): { id?: string; text: string }[] {
  const items: { id?: string; lines: string[] }[] = [];
  const isMarked = list.split(/\r?\n/).some((line) => START.test(line));
  for (const line of list.trim().split(/\r?\n/)) {
    const marked = START.exec(line)?.[1];
    const begins = marked !== undefined || (!isMarked && line.trim() !== "" && !/^\s/.test(line));
    if (!begins) {
      items.at(-1)?.lines.push(line.trimEnd());
      continue;
    }
    const said = (marked ?? line).trim();
    const [, , id, rest] = ID.exec(said) ?? [];
    items.push(id === undefined ? { lines: [said] } : { id, lines: [(rest ?? "").trim()] });
  }
  return items.map(({ id, lines }) => ({ ...(id === undefined ? {} : { id }), text: lines.join("\n").trimEnd() }));
}

/** What an id is made of: `FR-` and the next free number. */
export class Numbering {
  readonly #prefix: string;
  readonly #known: ReadonlyMap<string, string>;
  #last: number;

  /** `known` are the texts that have ids already, `taken` all ids that were ever given. */
  constructor(prefix: string, known: ReadonlyMap<string, string>, taken: Iterable<string>) {
    this.#prefix = prefix;
    this.#known = known;
    this.#last = 0;
    for (const id of [...taken, ...known.values()])
      if (id.startsWith(`${prefix}-`)) this.#last = Math.max(this.#last, Number(id.split("-")[1]));
  }

  /** The same text keeps its id; a new one gets the number after the highest that was ever given. */
  idFor(text: string): string {
    const known = this.#known.get(sameText(text));
    if (known !== undefined) return known;
    return `${this.#prefix}-${String(++this.#last).padStart(3, "0")}`;
  }
}

/** What a list says that has nothing to list. */
export const NONE = "None.";
export const isNothing = (list: string): boolean => /^(?:[-*+]\s+)?(?:none|nothing|n\/a)\.?$/i.test(list.trim());

/** The list with an id in front of every item. */
export function numbered(list: string | undefined, numbering: Numbering): Item[] {
  if (list === undefined || list.trim() === "" || isNothing(list)) return [];
  return splitItems(list).map(({ id, text }) => ({ id: id ?? numbering.idFor(text), text }));
}

/** As a list, or as the word for none. */
export const renderItems = (items: readonly Item[]): string =>
  items.length === 0 ? NONE : items.map(({ id, text }) => `- **${id}**: ${text}`).join("\n");

/** Two texts that differ in case, space and emphasis only are the same. */
export function sameText(text: string): string {
  const words = text.toLowerCase().replace(/[*_`]/g, "").replace(/\s+/g, " ");
  let end = words.length;
  while (end > 0 && ".; ".includes(words[end - 1] ?? "")) end--;
  return words.slice(0, end).trim();
}

/** Texts that are empty, ids of another family and numbers too long. What is given twice shows in the document. */
export function itemProblems(items: readonly Item[], prefix: string, where: string): Problem[] {
  return items.flatMap(({ id, text }): Problem[] => [
    ...(text.trim() === "" ? [{ problem: `${id} says nothing.` }] : []),
    ...(id.startsWith(`${prefix}-`)
      ? []
      : [{ problem: `${id} does not belong in ${where}: ids there begin with ${prefix}-.` }]),
    ...(/-\d{3,5}$/.test(id) ? [] : [{ problem: `${id} has too many digits: give an id with a lower number.` }]),
  ]);
}
