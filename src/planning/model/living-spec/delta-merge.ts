import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { findIdDefinitions, listDefinedIds, normalizeIdNumber } from "#kernel/model/document/id-references.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { findConstraintProblems } from "../project/requirement-items.ts";
import { normalizeItemText } from "../project/requirement-lists.ts";
import {
  type SpecDelta,
  parseSpecDeltas,
  type WrittenDelta,
  hasDuplicateId,
  findLiveItem,
  outlineSpecItems,
  parseDeltaItem,
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
import {
  MERGE_DECISIONS,
  type MergeDecision,
  type MergeOutcome,
  type DeltaOp,
  type RequirementPriority,
} from "./delta-vocabulary.ts";
import { mergeThreeWay, joinMergedLines } from "./document-merge.ts";

export interface DeltaCheckContext {
  readonly books: SpecBooks;
  readonly claims: readonly { readonly change: string; readonly deltas: readonly SpecDelta[] }[];
  /** All ids ever assigned, including ids that no document contains any more. */
  readonly given: readonly string[];
}

type DocumentOutlines = Readonly<Record<SpecBook, SpecOutline | undefined>>;
type LocatedDelta = WrittenDelta & { readonly line: number };

/** Reports every problem at once: changed items must exist, added ids must be free, and each id appears once. */
export function checkSpecDeltas(spec: string, against: DeltaCheckContext, where?: "requirements" | "anywhere") {
  const { requirements, rules } = against.books;
  const known = new Set([...listBookIds(against.books), ...against.given].map(normalizeIdNumber));
  const parsed = parseSpecDeltas(spec, where);
  const isNew = (id: string): boolean =>
    against.books[findSpecBook(id)] !== undefined && !known.has(normalizeIdNumber(id));
  const { deltas, loose } = adoptNewItems(parsed, isNew);
  const { problems } = parsed;
  const outlines = {
    requirements: requirements === undefined ? undefined : outlineSpecItems(requirements),
    rules: rules === undefined ? undefined : outlineSpecItems(rules),
  };
  const ids = new DeltaIdRegistry(deltas, against, outlines);
  const findItemText = (id: string): string | undefined => {
    const found = outlines[findSpecBook(id)];
    return found && findLiveItem(found, id)?.text;
  };
  const isMoved = ({ id, priority }: WrittenDelta): boolean =>
    isPriorityChanged(outlines[findSpecBook(id)], id, priority);
  return {
    deltas: deltas.map(({ line: _line, ...delta }) => ({
      ...delta,
      was: (delta.op === "added" ? undefined : findItemText(delta.id)) ?? "",
    })),
    repeats: describeRepeatedTexts(deltas, outlines),
    problems: [
      ...problems,
      ...deltas.flatMap((delta) => {
        const { op, id, text, line } = delta;
        const unchanged = { problem: `${id} has its old text: change it, or leave it out.`, line };
        return [
          ...(op === "added" ? [] : checkDeltaTarget(delta, outlines[findSpecBook(id)], against.books)),
          ...ids.problems(delta),
          ...(op === "modified" && findItemText(id) === text && !isMoved(delta) ? [unchanged] : []),
          ...checkDeltaForm(delta),
        ];
      }),
      ...loose.flatMap((item) => checkLooseItem(item, outlines[findSpecBook(item.id)], ids)),
    ],
  };
}

/** Where requirements exist, an item with a text and an unknown id is added, also without a delta heading. */
export function adoptNewItems(
  { deltas, loose }: Pick<ReturnType<typeof parseSpecDeltas>, "deltas" | "loose">,
  isNew: (id: string) => boolean,
) {
  const isAdopted = ({ id, text }: OutlineItem): boolean =>
    text.trim() !== "" && isNew(id) && deltas.every((delta) => delta.id !== id && delta.to !== id);
  const adopted = loose.filter(isAdopted).flatMap((item) => parseDeltaItem("added", item).delta ?? []);
  return {
    deltas: [...deltas, ...adopted].toSorted((one, other) => one.line - other.line),
    loose: loose.filter((item) => !isAdopted(item)),
  };
}

function describeRepeatedTexts(deltas: readonly WrittenDelta[], { requirements, rules }: DocumentOutlines): string[] {
  const live = [...(requirements?.items ?? []), ...(rules?.items ?? [])].filter(({ isRemoved }) => !isRemoved);
  const known = new Map(live.map(({ id, text }) => [normalizeItemText(text), id]));
  return deltas.flatMap(({ op, id, text }) => {
    if (op !== "added") return [];
    const same = known.get(normalizeItemText(text));
    if (same === undefined) known.set(normalizeItemText(text), id);
    return same ? [`${id} has the same text as ${same}. If you mean ${same}, list \`- ${same}\` instead.`] : [];
  });
}

/** True if a modified requirement belongs in a different list of its document. */
function isPriorityChanged(found: SpecOutline | undefined, id: string, priority: RequirementPriority | undefined) {
  const live = found && priority && findLiveItem(found, id);
  if (!live) return false;
  const list = findItemList(found, live);
  return list !== undefined && list !== priority;
}

/** An item outside the delta headings names what the change builds. Its text may be left out, but not differ. */
function checkLooseItem({ id, start, text }: OutlineItem, found: SpecOutline | undefined, ids: DeltaIdRegistry) {
  const line = start + 1;
  const path = SPEC_BOOK_PATHS[findSpecBook(id)];
  const live = found && findLiveItem(found, id);
  if (!found || live?.text === text || (live && (text === "" || isUnchangedNote(text)))) return [];
  if (live) return [{ problem: `${id} has a different text in ${path}: put it under ### MODIFIED.`, line }];
  const gone = ids.whyGone(id);
  if (gone !== undefined) return [{ problem: gone, line }];
  return ids.isGiven(id) ? [] : [{ problem: `${id} is not in ${path}: put it under ### ADDED.`, line }];
}

/** "FR-001 to FR-003", "FR-001: unchanged", "FR-001 stays." */
const isUnchangedNote = (text: string): boolean =>
  !/\bshall\b/i.test(text) &&
  /^(?:(?:to|through|and|until|,|–|—|-|\.{2,3}|…)?\s*(?:N?FR|BR)-\d|.*\b(?:unchanged|stays?|remains?|keeps?|kept|as (?:is|it is|they are|before)|(?:not|un)affected|no change)\b)/i.test(
    text,
  );

function checkDeltaTarget({ op, id, line }: LocatedDelta, found: SpecOutline | undefined, books: SpecBooks): Problem[] {
  const book = findSpecBook(id);
  const path = SPEC_BOOK_PATHS[book];
  const refuse = (why: string): Problem[] => [{ problem: `${id} cannot be ${op}: ${why}`, line }];
  if (!found) return refuse(`there is no ${path}.`);
  if (hasDuplicateId(found, id))
    return refuse(`${path} defines it twice. Give one of them the next free number first.`);
  if (findLiveItem(found, id)) return [];
  if (findRemovedItem(found, id)) return refuse(`${path} lists it as removed.`);
  const defined = findIdDefinitions(parseProseLines(books[book] ?? ""), book === "rules" ? "rule" : "requirement");
  return refuse(
    defined.some((reference) => reference.id === id)
      ? `in ${path} it is not a separate list item; make it one first.`
      : `${path} has no such id.`,
  );
}

function checkDeltaForm({ op, id, to, text, line }: LocatedDelta): Problem[] {
  if (to !== undefined && findSpecBook(to) !== findSpecBook(id)) {
    return [{ problem: `${id} cannot become ${to}: that id belongs in ${SPEC_BOOK_PATHS[findSpecBook(to)]}.`, line }];
  }
  if (!isContainedInItem(id, text)) {
    const problem = `${id} reaches beyond its list item: close every block that it opens, and put no heading or other id into it.`;
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
    this.#defined = new Set(listBookIds(books));
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
    if (now) return `${id} is now ${now}: use that id, or add a new item under ${this.#free(id)}.`;
    return `${id} was removed; add it under a new id. The next free one is ${this.#free(id)}.`;
  }

  problems(delta: LocatedDelta): Problem[] {
    const fresh = listNewIds(delta);
    return [...new Set([delta.id, ...fresh])].flatMap((id) => {
      const problem = this.#findProblem(id, delta, fresh.includes(id));
      this.#seen.add(id);
      return problem === undefined ? [] : [{ problem, line: delta.line }];
    });
  }

  #findProblem(id: string, { op }: LocatedDelta, isNew: boolean): string | undefined {
    if (this.#seen.has(id)) return `${id} is in more than one delta: name it once.`;
    if (!isNew) return undefined;
    const gone = op === "added" ? this.whyGone(id) : undefined;
    if (gone !== undefined) return gone;
    if (this.isGiven(id)) return `${id} was used before: the next free id is ${this.#free(id)}.`;
    const holder = this.#claims.get(id);
    return holder && `${id} is claimed by the open change ${holder}: the next free id is ${this.#free(id)}.`;
  }

  #free(like: string): string {
    const taken = [...this.#given, ...this.#claims.keys(), ...this.#deltas.flatMap(listNewIds)];
    return formatNextId(getIdFamily(like), taken, parseIdNumber(like));
  }
}

/** The next free ids of a functional requirement, a quality and a rule. */
export function listNextFreeIds(against: DeltaCheckContext): string[] {
  const defined = listBookIds(against.books);
  const claimed = against.claims.flatMap(({ deltas }) => deltas.flatMap(listNewIds));
  return ["FR", "NFR", "BR"].map((family) => formatNextId(family, [...defined, ...against.given, ...claimed]));
}

const listBookIds = ({ requirements = "", rules = "" }: SpecBooks): string[] =>
  [requirements, rules].flatMap((text) => listDefinedIds(text, "requirement", "rule"));

function formatNextId(family: string, taken: readonly string[], least = 0): string {
  const numbers = taken.filter((id) => getIdFamily(id) === family).map(parseIdNumber);
  return `${family}-${String(Math.max(least, 0, ...numbers) + 1).padStart(3, "0")}`;
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

export interface DeltaConflict {
  readonly id: string;
  readonly op: DeltaOp;
  readonly why: string;
  readonly was: string;
  readonly now?: string;
  readonly wants: string;
  readonly choices: readonly MergeDecision[];
}

/** A delta applies if the document has its base text. Changes in different lines are joined; others need a decision. */
export function mergeSpecDeltas(
  books: SpecBooks,
  deltas: readonly SpecDelta[],
  change: string,
  decisions: ReadonlyMap<string, MergeDecision> = new Map(),
) {
  const texts: { -readonly [B in SpecBook]?: string | undefined } = { ...books };
  const merged: { id: string; how: MergeOutcome }[] = [];
  const conflicts: DeltaConflict[] = [];
  for (const delta of deltas) {
    const book = findSpecBook(delta.id);
    const before = texts[book] ?? (book === "rules" ? "# Business rules\n" : "# Requirements\n");
    const step = mergeSpecDelta(before, delta, change);
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

type DeltaMergeStep =
  | { readonly text: string; readonly how: MergeOutcome; readonly conflict?: never }
  | { readonly conflict: DeltaConflict };

/** A merged text must not change how other items are parsed. */
function mergeSpecDelta(before: string, delta: SpecDelta, change: string): DeltaMergeStep {
  const step = mergeDeltaByOp(before, delta, change);
  const { op, id, to, was, text } = delta;
  if (step.conflict || !isDisturbingOtherItems(before, step.text, [id, to])) return step;
  const why = "Merging it would change the meaning of other items.";
  return { conflict: { id, op, why, was, wants: text, choices: ["document"] } };
}

function mergeDeltaByOp(document: string, delta: SpecDelta, change: string): DeltaMergeStep {
  const { op, id, to, priority, was, text } = delta;
  const found = outlineSpecItems(document);
  const now = findLiveItem(found, id)?.text;
  const isRemoved = findRemovedItem(found, id) !== undefined;
  const nowCalled = findNewItemId(found, id);
  const wants = op === "renamed" ? `→ ${to}` : op === "removed" ? `Removed: ${text}` : text;
  const same: DeltaMergeStep = { text: document, how: "same" };
  const conflict = (why: string, choices: readonly MergeDecision[] = MERGE_DECISIONS): DeltaMergeStep => ({
    conflict: { id, op, why, was, ...(now === undefined ? {} : { now }), wants, choices },
  });
  if (hasDuplicateId(found, id)) return conflict("The document defines it twice.", ["document"]);
  switch (op) {
    case "added":
      if (now === text) return same;
      if (now !== undefined) return conflict("The document has a different text under this id.");
      return isRemoved
        ? conflict("The id was removed in the meantime.")
        : { text: applyDelta(document, delta, change), how: "applied" };
    case "modified": {
      if (now === undefined)
        return conflict(isRemoved ? "It was removed or renamed in the meantime." : "The document no longer has it.");
      if (now === text || was === text)
        return isPriorityChanged(found, id, priority)
          ? { text: applyDelta(document, { ...delta, text: now }, change), how: "applied" }
          : same;
      if (now === was) return { text: applyDelta(document, delta, change), how: "applied" };
      const both = joinItemTexts(was, now, text);
      return both === undefined
        ? conflict("Its text changed in the meantime.")
        : { text: applyDelta(document, { ...delta, text: both }, change), how: "merged" };
    }
    case "removed":
      if (now === undefined && nowCalled)
        return conflict(`It was renamed to ${nowCalled} in the meantime.`, ["document"]);
      if (now === undefined && isRemoved) return same;
      if (now !== undefined && now !== was) return conflict("Its text changed in the meantime.");
      return { text: applyDelta(document, delta, change), how: "applied" };
    case "renamed": {
      const isTaken = to === undefined || found.items.some((item) => item.id === to);
      if (now === undefined && nowCalled === to && isTaken) return same;
      if (now === undefined) return conflict("The document no longer has it.", ["document"]);
      if (isTaken) return conflict(`${to} was used in the meantime.`, ["document"]);
      if (now !== was) return conflict("Its text changed in the meantime.");
      return { text: applyDelta(document, delta, change), how: "applied" };
    }
  }
}

function applyDelta(document: string, delta: SpecDelta, change: string): string {
  const { op, id, to, priority, was, text } = delta;
  const found = outlineSpecItems(document);
  const live = findLiveItem(found, id);
  if (op === "added" || op === "modified") {
    const isMoved = op === "modified" && isPriorityChanged(found, id, priority);
    if (isMoved) return insertSpecItem(removeSpecItem(document, id), chooseItemList(id, priority), id, text);
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
