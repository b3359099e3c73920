import { type SpecBook, findSpecBook, type SpecBooks, NEW_SPEC_BOOKS } from "./books.ts";
import type { SpecDelta } from "./delta.ts";
import { MERGE_DECISIONS, type MergeDecision, type MergeOutcome, type DeltaOp } from "./vocabulary.ts";
import { mergeThreeWay, joinMergedLines } from "./diff3.ts";
import { removeSpecItem, insertSpecItem, chooseItemList, findItemList, replaceSpecItem } from "./edit.ts";
import { hasDuplicateId, findLiveItem, outlineSpecItems, findRemovedItem, findNewItemId } from "./outline.ts";
import { isDisturbingOtherItems } from "./within.ts";

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
