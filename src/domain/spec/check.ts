import { parseProseLines } from "../document/prose.ts";
import { findIdDefinitions, normalizeIdNumber } from "../document/reference.ts";
import type { Problem } from "../gate/verdict.ts";
import { findConstraintProblems } from "../project/business-rules.ts";
import { SPEC_BOOK_PATHS, type SpecBook, findSpecBook, type SpecBooks } from "./books.ts";
import { type SpecDelta, parseSpecDeltas, type WrittenDelta } from "./delta.ts";
import { getIdFamily, parseIdNumber } from "./edit.ts";
import {
  hasDuplicateId,
  findLiveItem,
  outlineSpecItems,
  type SpecOutline,
  type OutlineItem,
  findRemovedItem,
  findNewItemId,
} from "./outline.ts";
import { isContainedInItem } from "./within.ts";

export interface DeltaClaim {
  readonly change: string;
  readonly deltas: readonly SpecDelta[];
}

export interface DeltaCheckContext {
  readonly books: SpecBooks;
  readonly claims: readonly DeltaClaim[];
  /** All ids ever assigned, including ids that no document contains any more. */
  readonly given: readonly string[];
}

export interface DeltaCheckResult {
  readonly deltas: readonly (WrittenDelta & { readonly was: string })[];
  readonly problems: readonly Problem[];
}

type DocumentOutlines = Readonly<Record<SpecBook, SpecOutline | undefined>>;
type LocatedDelta = WrittenDelta & { readonly line: number };

/** Reports every problem at once: changed items must exist, added ids must be free, and each id appears once. */
export function checkSpecDeltas(spec: string, against: DeltaCheckContext): DeltaCheckResult {
  const { deltas, problems, loose } = parseSpecDeltas(spec);
  const outlines = {
    requirements: outlineIfPresent(against.books.requirements),
    rules: outlineIfPresent(against.books.rules),
  };
  const ids = new DeltaIdRegistry(deltas, against, outlines);
  return {
    deltas: deltas.map(({ op, id, to, priority, text }) => ({
      op,
      id,
      ...(to === undefined ? {} : { to }),
      ...(priority === undefined ? {} : { priority }),
      text,
      was: (op === "added" ? undefined : findItemText(outlines[findSpecBook(id)], id)) ?? "",
    })),
    problems: [
      ...problems,
      ...deltas.flatMap((delta) => [
        ...(delta.op === "added" ? [] : checkDeltaTarget(delta, outlines[findSpecBook(delta.id)], against.books)),
        ...ids.problems(delta),
        ...(delta.op === "modified" ? checkDeltaChange(delta, outlines[findSpecBook(delta.id)]) : []),
        ...checkDeltaForm(delta),
      ]),
      ...loose.flatMap((item) => checkLooseItem(item, outlines[findSpecBook(item.id)], ids)),
    ],
  };
}

/** An item outside the delta headings must repeat the current text, or it belongs under a delta heading. */
function checkLooseItem(
  { id, start, text }: OutlineItem,
  found: SpecOutline | undefined,
  ids: DeltaIdRegistry,
): Problem[] {
  const line = start + 1;
  const path = SPEC_BOOK_PATHS[findSpecBook(id)];
  const live = found && findLiveItem(found, id);
  if (!found || live?.text === text) return [];
  if (live) return [{ problem: `${id} says something else in ${path}: put it under ### MODIFIED.`, line }];
  const gone = ids.whyGone(id);
  if (gone !== undefined) return [{ problem: gone, line }];
  return ids.isGiven(id) ? [] : [{ problem: `${id} is not in ${path}: put it under ### ADDED.`, line }];
}

const outlineIfPresent = (text: string | undefined): SpecOutline | undefined =>
  text === undefined ? undefined : outlineSpecItems(text);

const findItemText = (found: SpecOutline | undefined, id: string): string | undefined =>
  found && findLiveItem(found, id)?.text;

function checkDeltaTarget({ op, id, line }: LocatedDelta, found: SpecOutline | undefined, books: SpecBooks): Problem[] {
  const book = findSpecBook(id);
  if (found && hasDuplicateId(found, id)) {
    const why = `${SPEC_BOOK_PATHS[book]} defines it twice. Give one of them the next free number first.`;
    return [{ problem: `${id} cannot be ${op}: ${why}`, line }];
  }
  if (found && findLiveItem(found, id)) return [];
  return [{ problem: `${id} cannot be ${op}: ${explainMissingItem(id, book, found, books)}`, line }];
}

function explainMissingItem(id: string, book: SpecBook, found: SpecOutline | undefined, books: SpecBooks): string {
  if (!found) return `there is no ${SPEC_BOOK_PATHS[book]}.`;
  if (findRemovedItem(found, id)) return `${SPEC_BOOK_PATHS[book]} says that it was removed.`;
  const isElsewhere = findIdDefinitions(
    parseProseLines(books[book] ?? ""),
    book === "rules" ? "rule" : "requirement",
  ).some((reference) => reference.id === id);
  return isElsewhere
    ? `in ${SPEC_BOOK_PATHS[book]} it is no list item of its own; make it one first.`
    : `${SPEC_BOOK_PATHS[book]} has no such id.`;
}

function checkDeltaChange({ id, text, line }: LocatedDelta, found: SpecOutline | undefined): Problem[] {
  if (findItemText(found, id) !== text) return [];
  return [{ problem: `${id} says what it said before: change it, or leave it out.`, line }];
}

function checkDeltaForm({ op, id, to, text, line }: LocatedDelta): Problem[] {
  if (to !== undefined && findSpecBook(to) !== findSpecBook(id)) {
    return [{ problem: `${id} cannot become ${to}: that id belongs in ${SPEC_BOOK_PATHS[findSpecBook(to)]}.`, line }];
  }
  if (!isContainedInItem(id, text)) {
    const problem = `${id} does not stay within its item: close what it opens, and put no heading or other id into it.`;
    return [{ problem, line }];
  }
  const isRule = id.startsWith("BR-") && (op === "added" || op === "modified");
  return isRule ? findConstraintProblems([{ id, text }]).map(({ problem }) => ({ problem, line })) : [];
}

class DeltaIdRegistry {
  readonly #deltas: readonly LocatedDelta[];
  readonly #claims: ReadonlyMap<string, string>;
  readonly #given: ReadonlySet<string>;
  readonly #defined: ReadonlySet<string>;
  readonly #outlines: DocumentOutlines;
  readonly #seen = new Set<string>();

  constructor(
    deltas: readonly LocatedDelta[],
    { books, claims, given }: DeltaCheckContext,
    outlines: DocumentOutlines,
  ) {
    this.#deltas = deltas;
    this.#outlines = outlines;
    this.#claims = new Map(
      claims.flatMap(({ change, deltas: theirs }) =>
        theirs.flatMap((delta) => listNewIds(delta).map((id): [string, string] => [id, change])),
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
    const found = this.#outlines[findSpecBook(id)];
    const isLive = found?.items.some((item) => !item.isRemoved && normalizeIdNumber(item.id) === normalizeIdNumber(id));
    if (!found || !this.isGiven(id) || isLive) return undefined;
    if (!findRemovedItem(found, id) && this.#defined.has(id)) return undefined;
    const now = findNewItemId(found, id);
    if (now) return `${id} is ${now} now: say it of that one, or add something new under ${this.#free(id)}.`;
    return `${id} was removed; add it under a new id. The next free one is ${this.#free(id)}.`;
  }

  problems(delta: LocatedDelta): Problem[] {
    const { line } = delta;
    const fresh = listNewIds(delta);
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
    const family = getIdFamily(like);
    const numbers = [...this.#given, ...this.#claims.keys(), ...this.#deltas.flatMap(listNewIds)]
      .filter((id) => getIdFamily(id) === family && id !== like)
      .map(parseIdNumber);
    return `${family}-${String(Math.max(parseIdNumber(like), ...numbers) + 1).padStart(3, "0")}`;
  }
}

export const listNewIds = ({ op, id, to }: WrittenDelta): string[] =>
  op === "added" ? [id] : to === undefined ? [] : [to];
