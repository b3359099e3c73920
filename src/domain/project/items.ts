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
  /** Those of them whose items were removed in good order. */
  readonly removed: readonly string[];
}

/** A list's mark, its check box, an id with emphasis, and what separates it from the text. */
const START = /^(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/;
const ID = /^[*_`]{0,3}((?:N?FR|BR)-\d{3,5})[*_`]{0,3}\s*[:.–—-]?\s*[*_`]{0,3}\s*(.*)$/;

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
    const [, id, rest] = ID.exec(said) ?? [];
    items.push(id === undefined ? { lines: [said] } : { id, lines: [rest ?? ""] });
  }
  return items.map(({ id, lines }) => ({ ...(id === undefined ? {} : { id }), text: lines.join("\n").trimEnd() }));
}

/** What an id is made of: `FR-` and the next free number. */
export class Numbering {
  readonly #prefix: string;
  readonly #known: ReadonlyMap<string, string>;
  readonly #taken: Set<string>;

  /** `known` are the texts that have ids already, `taken` all ids that were ever given. */
  constructor(prefix: string, known: ReadonlyMap<string, string>, taken: Iterable<string>) {
    this.#prefix = prefix;
    this.#known = known;
    this.#taken = new Set([...taken, ...known.values()]);
  }

  /** The same text keeps its id; a new one gets the number after the highest that was ever given. */
  idFor(text: string): string {
    const known = this.#known.get(sameText(text));
    if (known !== undefined) return known;
    const numbers = [...this.#taken]
      .filter((id) => id.startsWith(`${this.#prefix}-`))
      .map((id) => Number(id.split("-")[1]));
    const id = `${this.#prefix}-${String(Math.max(0, ...numbers) + 1).padStart(3, "0")}`;
    this.#taken.add(id);
    return id;
  }
}

/** The list with an id in front of every item. */
export function numbered(list: string | undefined, numbering: Numbering): Item[] {
  if (list === undefined || list.trim() === "") return [];
  return splitItems(list).map(({ id, text }) => ({ id: id ?? numbering.idFor(text), text }));
}

export const renderItems = (items: readonly Item[]): string =>
  items.map(({ id, text }) => `- **${id}**: ${text}`).join("\n");

/** Two texts that differ in case, space and emphasis only are the same. */
export const sameText = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[*_`]/g, "")
    .replace(/\s+/g, " ")
    .replace(/[.;\s]+$/, "")
    .trim();

/** Texts that are empty, and ids of another family. What is given twice shows in the document. */
export function itemProblems(items: readonly Item[], prefix: string, where: string): Problem[] {
  return items.flatMap(({ id, text }): Problem[] => [
    ...(text.trim() === "" ? [{ problem: `${id} says nothing.` }] : []),
    ...(id.startsWith(`${prefix}-`)
      ? []
      : [{ problem: `${id} does not belong in ${where}: ids there begin with ${prefix}-.` }]),
  ]);
}
