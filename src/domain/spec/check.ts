import { parseProseLines } from "../document/prose.ts";
import { findIdDefinitions, normalizeIdNumber } from "../document/reference.ts";
import type { Problem } from "../gate/verdict.ts";
import { findConstraintProblems } from "../project/business-rules.ts";
import { BOOK_PATHS, type Book, bookOf, type Books } from "./books.ts";
import { type Delta, parseDeltas, type WrittenDelta } from "./delta.ts";
import { familyOf, numberOf } from "./edit.ts";
import { isGivenTwice, liveItem, outline, type Outline, type OutlineItem, removedItem, renamedTo } from "./outline.ts";
import { staysWithin } from "./within.ts";

export interface Claim {
  readonly change: string;
  readonly deltas: readonly Delta[];
}

export interface Against {
  readonly books: Books;
  readonly claims: readonly Claim[];
  /** All ids ever assigned, including ids that no document contains any more. */
  readonly given: readonly string[];
}

export interface Checked {
  readonly deltas: readonly (WrittenDelta & { readonly was: string })[];
  readonly problems: readonly Problem[];
}

type Outlines = Readonly<Record<Book, Outline | undefined>>;
type Placed = WrittenDelta & { readonly line: number };

/** Reports every problem at once: changed items must exist, added ids must be free, and each id appears once. */
export function checkDeltas(spec: string, against: Against): Checked {
  const { deltas, problems, loose } = parseDeltas(spec);
  const outlines = {
    requirements: outlined(against.books.requirements),
    rules: outlined(against.books.rules),
  };
  const ids = new IdBook(deltas, against, outlines);
  return {
    deltas: deltas.map(({ op, id, to, priority, text }) => ({
      op,
      id,
      ...(to === undefined ? {} : { to }),
      ...(priority === undefined ? {} : { priority }),
      text,
      was: (op === "added" ? undefined : textIn(outlines[bookOf(id)], id)) ?? "",
    })),
    problems: [
      ...problems,
      ...deltas.flatMap((delta) => [
        ...(delta.op === "added" ? [] : untouchable(delta, outlines[bookOf(delta.id)], against.books)),
        ...ids.problems(delta),
        ...(delta.op === "modified" ? unchanged(delta, outlines[bookOf(delta.id)]) : []),
        ...formProblems(delta),
      ]),
      ...loose.flatMap((item) => looseProblems(item, outlines[bookOf(item.id)], ids)),
    ],
  };
}

/** An item outside the delta headings must repeat the current text, or it belongs under a delta heading. */
function looseProblems({ id, start, text }: OutlineItem, found: Outline | undefined, ids: IdBook): Problem[] {
  const line = start + 1;
  const path = BOOK_PATHS[bookOf(id)];
  const live = found && liveItem(found, id);
  if (!found || live?.text === text) return [];
  if (live) return [{ problem: `${id} says something else in ${path}: put it under ### MODIFIED.`, line }];
  const gone = ids.whyGone(id);
  if (gone !== undefined) return [{ problem: gone, line }];
  return ids.isGiven(id) ? [] : [{ problem: `${id} is not in ${path}: put it under ### ADDED.`, line }];
}

const outlined = (text: string | undefined): Outline | undefined => (text === undefined ? undefined : outline(text));

const textIn = (found: Outline | undefined, id: string): string | undefined => found && liveItem(found, id)?.text;

function untouchable({ op, id, line }: Placed, found: Outline | undefined, books: Books): Problem[] {
  const book = bookOf(id);
  if (found && isGivenTwice(found, id)) {
    const why = `${BOOK_PATHS[book]} defines it twice. Give one of them the next free number first.`;
    return [{ problem: `${id} cannot be ${op}: ${why}`, line }];
  }
  if (found && liveItem(found, id)) return [];
  return [{ problem: `${id} cannot be ${op}: ${whyMissing(id, book, found, books)}`, line }];
}

function whyMissing(id: string, book: Book, found: Outline | undefined, books: Books): string {
  if (!found) return `there is no ${BOOK_PATHS[book]}.`;
  if (removedItem(found, id)) return `${BOOK_PATHS[book]} says that it was removed.`;
  const isElsewhere = findIdDefinitions(
    parseProseLines(books[book] ?? ""),
    book === "rules" ? "rule" : "requirement",
  ).some((reference) => reference.id === id);
  return isElsewhere
    ? `in ${BOOK_PATHS[book]} it is no list item of its own; make it one first.`
    : `${BOOK_PATHS[book]} has no such id.`;
}

function unchanged({ id, text, line }: Placed, found: Outline | undefined): Problem[] {
  if (textIn(found, id) !== text) return [];
  return [{ problem: `${id} says what it said before: change it, or leave it out.`, line }];
}

function formProblems({ op, id, to, text, line }: Placed): Problem[] {
  if (to !== undefined && bookOf(to) !== bookOf(id)) {
    return [{ problem: `${id} cannot become ${to}: that id belongs in ${BOOK_PATHS[bookOf(to)]}.`, line }];
  }
  if (!staysWithin(id, text)) {
    const problem = `${id} does not stay within its item: close what it opens, and put no heading or other id into it.`;
    return [{ problem, line }];
  }
  const isRule = id.startsWith("BR-") && (op === "added" || op === "modified");
  return isRule ? findConstraintProblems([{ id, text }]).map(({ problem }) => ({ problem, line })) : [];
}

class IdBook {
  readonly #deltas: readonly Placed[];
  readonly #claims: ReadonlyMap<string, string>;
  readonly #given: ReadonlySet<string>;
  readonly #defined: ReadonlySet<string>;
  readonly #outlines: Outlines;
  readonly #seen = new Set<string>();

  constructor(deltas: readonly Placed[], { books, claims, given }: Against, outlines: Outlines) {
    this.#deltas = deltas;
    this.#outlines = outlines;
    this.#claims = new Map(
      claims.flatMap(({ change, deltas: theirs }) =>
        theirs.flatMap((delta) => newIds(delta).map((id): [string, string] => [id, change])),
      ),
    );
    this.#defined = new Set(
      [books.requirements, books.rules].flatMap((text) => {
        const lines = parseProseLines(text ?? "");
        return [...findIdDefinitions(lines, "requirement"), ...findIdDefinitions(lines, "rule")].map(({ id }) => id);
      }),
    );
    this.#given = new Set([...given, ...this.#defined].map(normalizeIdNumber));
  }

  isGiven(id: string): boolean {
    return this.#given.has(normalizeIdNumber(id));
  }

  /** Why a removed id cannot be used again. Undefined for a live id or one never assigned. */
  whyGone(id: string): string | undefined {
    const found = this.#outlines[bookOf(id)];
    const isLive = found?.items.some((item) => !item.isRemoved && normalizeIdNumber(item.id) === normalizeIdNumber(id));
    if (!found || !this.isGiven(id) || isLive) return undefined;
    if (!removedItem(found, id) && this.#defined.has(id)) return undefined;
    const now = renamedTo(found, id);
    if (now) return `${id} is ${now} now: say it of that one, or add something new under ${this.#free(id)}.`;
    return `${id} was removed; add it under a new id. The next free one is ${this.#free(id)}.`;
  }

  problems(delta: Placed): Problem[] {
    const { line } = delta;
    const fresh = newIds(delta);
    return [...new Set([delta.id, ...fresh])].flatMap((id): Problem[] => {
      const isTwice = this.#seen.has(id);
      this.#seen.add(id);
      if (isTwice) return [{ problem: `${id} is under more than one delta: name it once.`, line }];
      if (!fresh.includes(id)) return [];
      const gone = delta.op === "added" ? this.whyGone(id) : undefined;
      if (gone !== undefined) return [{ problem: gone, line }];
      if (this.isGiven(id))
        return [{ problem: `${id} was given before: the next free id is ${this.#free(id)}.`, line }];
      const holder = this.#claims.get(id);
      if (holder === undefined) return [];
      return [
        { problem: `${id} is claimed by the open change ${holder}: the next free id is ${this.#free(id)}.`, line },
      ];
    });
  }

  #free(like: string): string {
    const family = familyOf(like);
    const numbers = [...this.#given, ...this.#claims.keys(), ...this.#deltas.flatMap(newIds)]
      .filter((id) => familyOf(id) === family && id !== like)
      .map(numberOf);
    return `${family}-${String(Math.max(numberOf(like), ...numbers) + 1).padStart(3, "0")}`;
  }
}

export const newIds = ({ op, id, to }: WrittenDelta): string[] =>
  op === "added" ? [id] : to === undefined ? [] : [to];
