import { type Book, bookOf, type Books, NEW_BOOKS } from "./books.ts";
import type { Delta } from "./delta.ts";
import { DECISIONS, type Decision, type Outcome, type DeltaOp } from "./vocabulary.ts";
import { diff3, joined } from "./diff3.ts";
import { dropItem, insertItem, placeFor, placeOf, replaceItem } from "./edit.ts";
import { isGivenTwice, liveItem, outline, removedItem, renamedTo } from "./outline.ts";
import { disturbsOthers } from "./within.ts";

export interface Conflict {
  readonly id: string;
  readonly op: DeltaOp;
  readonly why: string;
  readonly was: string;
  readonly now?: string;
  readonly wants: string;
  readonly choices: readonly Decision[];
}

export interface Merge {
  readonly books: Books;
  readonly merged: readonly { readonly id: string; readonly how: Outcome }[];
  readonly conflicts: readonly Conflict[];
}

/**
 * Merges the deltas of one change into the documents. A delta applies if the document still has the text it was written
 * against. Changes in different lines are joined. All others need a decision.
 */
export function mergeDeltas(
  books: Books,
  deltas: readonly Delta[],
  change: string,
  decisions: ReadonlyMap<string, Decision> = new Map(),
): Merge {
  const texts: { -readonly [B in Book]?: string | undefined } = { ...books };
  const merged: { id: string; how: Outcome }[] = [];
  const conflicts: Conflict[] = [];
  for (const delta of deltas) {
    const book = bookOf(delta.id);
    const before = texts[book] ?? NEW_BOOKS[book];
    const step = undisturbing(mergeOne(before, delta, change), before, delta);
    const decision = decisions.get(delta.id);
    if (!step.conflict) {
      merged.push({ id: delta.id, how: step.how });
      if (step.text !== before) texts[book] = step.text;
    } else if (decision && step.conflict.choices.includes(decision)) {
      merged.push({ id: delta.id, how: decision });
      if (decision === "change") texts[book] = forced(before, delta, change);
    } else conflicts.push(step.conflict);
  }
  return { books: texts, merged, conflicts };
}

/** A merged text must not change how other items are parsed. */
function undisturbing(step: Step, before: string, { op, id, to, was, text }: Delta): Step {
  if (step.conflict || !disturbsOthers(before, step.text, [id, to])) return step;
  const why = "Merged, it would change how other items are read.";
  return { conflict: { id, op, why, was, wants: text, choices: ["document"] } };
}

type Step =
  | { readonly text: string; readonly how: Outcome; readonly conflict?: never }
  | { readonly conflict: Conflict };

function mergeOne(document: string, delta: Delta, change: string): Step {
  const { op, id, to, was, text } = delta;
  const found = outline(document);
  const now = liveItem(found, id)?.text;
  const isRemoved = removedItem(found, id) !== undefined;
  const nowCalled = renamedTo(found, id);
  const same: Step = { text: document, how: "same" };
  const conflict = (why: string, choices: readonly Decision[] = DECISIONS): Step => ({
    conflict: { id, op, why, was, ...(now === undefined ? {} : { now }), wants: wanted(delta), choices },
  });
  if (isGivenTwice(found, id)) return conflict("The document defines it twice.", ["document"]);
  switch (op) {
    case "added":
      if (now === text) return same;
      if (now !== undefined) return conflict("The document has another text under this id.");
      return isRemoved
        ? conflict("The id was removed meanwhile.")
        : { text: forced(document, delta, change), how: "applied" };
    case "modified": {
      if (now === undefined)
        return conflict(isRemoved ? "It was removed or renamed meanwhile." : "The document no longer has it.");
      if (now === text || was === text) return same;
      if (now === was) return { text: replaceItem(document, id, text), how: "applied" };
      const both = joinTexts(was, now, text);
      return both === undefined
        ? conflict("Its text was changed meanwhile.")
        : { text: replaceItem(document, id, both), how: "merged" };
    }
    case "removed":
      if (now === undefined && nowCalled) return conflict(`It was renamed to ${nowCalled} meanwhile.`, ["document"]);
      if (now === undefined && isRemoved) return same;
      if (now !== undefined && now !== was) return conflict("Its text was changed meanwhile.");
      return { text: forced(document, delta, change), how: "applied" };
    case "renamed": {
      const isTaken = to === undefined || found.items.some((item) => item.id === to);
      if (now === undefined && nowCalled === to && isTaken) return same;
      if (now === undefined) return conflict("The document no longer has it.", ["document"]);
      if (isTaken) return conflict(`${to} was given meanwhile.`, ["document"]);
      if (now !== was) return conflict("Its text was changed meanwhile.");
      return { text: forced(document, delta, change), how: "applied" };
    }
  }
}

const wanted = ({ op, to, text }: Delta): string =>
  op === "renamed" ? `→ ${to}` : op === "removed" ? `Removed: ${text}` : text;

function forced(document: string, delta: Delta, change: string): string {
  const { op, id, to, priority, was, text } = delta;
  const found = outline(document);
  const live = liveItem(found, id);
  if (op === "added" || op === "modified") {
    if (live) return replaceItem(document, id, text);
    return insertItem(dropItem(document, id, true), placeFor(id, priority), id, text);
  }
  const rest = dropItem(document, id);
  if (op === "removed") {
    const left = `${text}\n(removed by ${change}) Was: ${live?.text ?? was}`;
    return insertItem(dropItem(rest, id, true), "removed", id, left);
  }
  const target = to ?? id;
  const stood = live && id.startsWith("FR-") && target.startsWith("FR-") ? placeOf(found, live) : undefined;
  const moved = insertItem(rest, stood ?? placeFor(target, priority), target, live?.text ?? was);
  return insertItem(moved, "removed", id, `Now ${target}. (renamed by ${change})`);
}

/** Joins two changes that touch different lines. Joining again gives the same text. */
function joinTexts(was: string, now: string, text: string): string | undefined {
  const lines = (each: string): string[] => each.split("\n");
  const both = joined(diff3(lines(was), lines(now), lines(text)));
  const again = both && joined(diff3(lines(was), both, lines(text)));
  return both && again?.join("\n") === both.join("\n") ? both.join("\n") : undefined;
}
