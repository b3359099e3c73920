import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { findIdDefinitions, normalizeIdNumber } from "#kernel/model/document/id-references.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { findConstraintProblems } from "../project/requirement-items.ts";
import {
  type SpecDelta,
  parseSpecDeltas,
  type WrittenDelta,
  hasDuplicateId,
  findLiveItem,
  outlineSpecItems,
  type SpecOutline,
  type OutlineItem,
  findRemovedItem,
  findNewItemId,
} from "./item-outline.ts";
import {
  getIdFamily,
  parseIdNumber,
  isContainedInItem,
  removeSpecItem,
  insertSpecItem,
  chooseItemList,
  findItemList,
  replaceSpecItem,
  isDisturbingOtherItems,
} from "./item-edit.ts";
import { BUSINESS_RULES_PATH, type WorkspacePath, REQUIREMENTS_PATH } from "#kernel/model/workspace-paths.ts";
import { MERGE_DECISIONS, type MergeDecision, type MergeOutcome, type DeltaOp } from "./delta-vocabulary.ts";
import { mergeThreeWay, joinMergedLines } from "./document-merge.ts";

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

/** The documents that deltas change. Undefined for a document that does not exist. */
export interface SpecBooks {
  readonly requirements?: string | undefined;
  readonly rules?: string | undefined;
}
export type SpecBook = keyof SpecBooks;

export const findSpecBook = (id: string): SpecBook => (id.startsWith("BR-") ? "rules" : "requirements");

export const SPEC_BOOK_PATHS: Readonly<Record<SpecBook, WorkspacePath>> = {
  requirements: REQUIREMENTS_PATH,
  rules: BUSINESS_RULES_PATH,
};

const NEW_SPEC_BOOKS: Readonly<Record<SpecBook, string>> = {
  requirements: "# Requirements\n",
  rules: "# Business rules\n",
};

export interface DeltaConflict {
  readonly id: string;
  readonly op: DeltaOp;
  readonly why: string;
  readonly was: string;
  readonly now?: string;
  readonly wants: string;
  readonly choices: readonly MergeDecision[];
}

export interface DeltaMergeResult {
  readonly books: SpecBooks;
  readonly merged: readonly { readonly id: string; readonly how: MergeOutcome }[];
  readonly conflicts: readonly DeltaConflict[];
}

/**
 * Merges the deltas of one change into the documents. A delta applies if the document still has the text it was written
 * against. Changes in different lines are joined. All others need a decision.
 */
export function mergeSpecDeltas(
  books: SpecBooks,
  deltas: readonly SpecDelta[],
  change: string,
  decisions: ReadonlyMap<string, MergeDecision> = new Map(),
): DeltaMergeResult {
  const texts: { -readonly [B in SpecBook]?: string | undefined } = { ...books };
  const merged: { id: string; how: MergeOutcome }[] = [];
  const conflicts: DeltaConflict[] = [];
  for (const delta of deltas) {
    const book = findSpecBook(delta.id);
    const before = texts[book] ?? NEW_SPEC_BOOKS[book];
    const step = rejectDisturbingMerge(mergeSpecDelta(before, delta, change), before, delta);
    const decision = decisions.get(delta.id);
    if (!step.conflict) {
      merged.push({ id: delta.id, how: step.how });
      if (step.text !== before) texts[book] = step.text;
    } else if (decision && step.conflict.choices.includes(decision)) {
      merged.push({ id: delta.id, how: decision });
      if (decision === "change") texts[book] = applyDelta(before, delta, change);
    } else conflicts.push(step.conflict);
  }
  return { books: texts, merged, conflicts };
}

/** A merged text must not change how other items are parsed. */
function rejectDisturbingMerge(
  step: DeltaMergeStep,
  before: string,
  { op, id, to, was, text }: SpecDelta,
): DeltaMergeStep {
  if (step.conflict || !isDisturbingOtherItems(before, step.text, [id, to])) return step;
  const why = "Merged, it would change how other items are read.";
  return { conflict: { id, op, why, was, wants: text, choices: ["document"] } };
}

type DeltaMergeStep =
  | { readonly text: string; readonly how: MergeOutcome; readonly conflict?: never }
  | { readonly conflict: DeltaConflict };

function mergeSpecDelta(document: string, delta: SpecDelta, change: string): DeltaMergeStep {
  const { op, id, to, was, text } = delta;
  const found = outlineSpecItems(document);
  const now = findLiveItem(found, id)?.text;
  const isRemoved = findRemovedItem(found, id) !== undefined;
  const nowCalled = findNewItemId(found, id);
  const same: DeltaMergeStep = { text: document, how: "same" };
  const conflict = (why: string, choices: readonly MergeDecision[] = MERGE_DECISIONS): DeltaMergeStep => ({
    conflict: { id, op, why, was, ...(now === undefined ? {} : { now }), wants: describeWantedText(delta), choices },
  });
  if (hasDuplicateId(found, id)) return conflict("The document defines it twice.", ["document"]);
  switch (op) {
    case "added":
      if (now === text) return same;
      if (now !== undefined) return conflict("The document has another text under this id.");
      return isRemoved
        ? conflict("The id was removed meanwhile.")
        : { text: applyDelta(document, delta, change), how: "applied" };
    case "modified": {
      if (now === undefined)
        return conflict(isRemoved ? "It was removed or renamed meanwhile." : "The document no longer has it.");
      if (now === text || was === text) return same;
      if (now === was) return { text: replaceSpecItem(document, id, text), how: "applied" };
      const both = joinItemTexts(was, now, text);
      return both === undefined
        ? conflict("Its text was changed meanwhile.")
        : { text: replaceSpecItem(document, id, both), how: "merged" };
    }
    case "removed":
      if (now === undefined && nowCalled) return conflict(`It was renamed to ${nowCalled} meanwhile.`, ["document"]);
      if (now === undefined && isRemoved) return same;
      if (now !== undefined && now !== was) return conflict("Its text was changed meanwhile.");
      return { text: applyDelta(document, delta, change), how: "applied" };
    case "renamed": {
      const isTaken = to === undefined || found.items.some((item) => item.id === to);
      if (now === undefined && nowCalled === to && isTaken) return same;
      if (now === undefined) return conflict("The document no longer has it.", ["document"]);
      if (isTaken) return conflict(`${to} was given meanwhile.`, ["document"]);
      if (now !== was) return conflict("Its text was changed meanwhile.");
      return { text: applyDelta(document, delta, change), how: "applied" };
    }
  }
}

const describeWantedText = ({ op, to, text }: SpecDelta): string =>
  op === "renamed" ? `→ ${to}` : op === "removed" ? `Removed: ${text}` : text;

function applyDelta(document: string, delta: SpecDelta, change: string): string {
  const { op, id, to, priority, was, text } = delta;
  const found = outlineSpecItems(document);
  const live = findLiveItem(found, id);
  if (op === "added" || op === "modified") {
    if (live) return replaceSpecItem(document, id, text);
    return insertSpecItem(removeSpecItem(document, id, true), chooseItemList(id, priority), id, text);
  }
  const rest = removeSpecItem(document, id);
  if (op === "removed") {
    const left = `${text}\n(removed by ${change}) Was: ${live?.text ?? was}`;
    return insertSpecItem(removeSpecItem(rest, id, true), "removed", id, left);
  }
  const target = to ?? id;
  const stood = live && id.startsWith("FR-") && target.startsWith("FR-") ? findItemList(found, live) : undefined;
  const moved = insertSpecItem(rest, stood ?? chooseItemList(target, priority), target, live?.text ?? was);
  return insertSpecItem(moved, "removed", id, `Now ${target}. (renamed by ${change})`);
}

/** Joins two changes that touch different lines. Joining again gives the same text. */
function joinItemTexts(was: string, now: string, text: string): string | undefined {
  const lines = (each: string): string[] => each.split("\n");
  const both = joinMergedLines(mergeThreeWay(lines(was), lines(now), lines(text)));
  const again = both && joinMergedLines(mergeThreeWay(lines(was), both, lines(text)));
  return both && again?.join("\n") === both.join("\n") ? both.join("\n") : undefined;
}
