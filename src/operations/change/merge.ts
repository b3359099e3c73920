import type { ChangeRecord } from "#domain/change/record.ts";
import { findConflictMarkers } from "#domain/document/conflict.ts";
import { parseProseLines } from "#domain/document/prose.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { type SpecBook, SPEC_BOOK_PATHS } from "#domain/spec/books.ts";
import { serializeDelta, type SpecDelta, parseSpecDeltas } from "#domain/spec/delta.ts";
import { type DeltaConflict, mergeSpecDeltas } from "#domain/spec/merge.ts";
import { type MergeDecision, type MergeOutcome } from "#domain/spec/vocabulary.ts";
import { listDuplicateIds, outlineSpecItems } from "#domain/spec/outline.ts";
import { getChangeArtifactPath, CHANGES_FOLDER } from "#domain/workspace/path.ts";
import type { StoreStep, StoreTree } from "../ports/store.ts";
import { loadSpecBooks } from "./deltas.ts";
import type { LocatedProblem } from "./inspect.ts";
import { listOpenChanges } from "./census.ts";

export interface DeltaMergePlan {
  readonly steps: readonly (StoreStep & { readonly kind: "document" })[];
  readonly merged: readonly { readonly id: string; readonly how: MergeOutcome }[];
  readonly conflicts: readonly DeltaConflict[];
}

/** Only a completed change changes the documents. */
export function planDeltaMerge(tree: StoreTree, record: ChangeRecord, said: readonly string[]): DeltaMergePlan {
  const isLanding = record.status === "completed";
  const deltas = isLanding ? (record.deltas ?? []) : [];
  const decisions = parseConflictDecisions(record, deltas, said);
  if (isLanding && isSpecEdited(tree, record)) throw createSpecEditedFault(record);
  const books = loadSpecBooks(tree);
  const { books: after, merged, conflicts } = mergeSpecDeltas(books, deltas, record.id, decisions);
  const changed = (["requirements", "rules"] as const).flatMap((book) => {
    const text = after[book];
    return text === undefined || text === books[book]
      ? []
      : [{ kind: "document", path: SPEC_BOOK_PATHS[book], text } as const];
  });
  return { steps: conflicts.length > 0 ? [] : changed, merged, conflicts };
}

/** The input schema already checked the form `FR-003=document`. */
function parseConflictDecisions(
  record: ChangeRecord,
  deltas: readonly SpecDelta[],
  said: readonly string[],
): ReadonlyMap<string, MergeDecision> {
  return new Map(
    said.map((text): [string, MergeDecision] => {
      const [id = "", word] = text.split("=");
      if (deltas.some((delta) => delta.id === id)) return [id, word as MergeDecision];
      throw new Fault("input.invalid", {
        what: "Nothing was done.",
        why: `decisions names ${quote(id, 20)}, which this change does not touch.`,
        fix: { operation: "change.archive", input: { change_id: record.id } },
      });
    }),
  );
}

function isSpecEdited(tree: StoreTree, record: ChangeRecord): boolean {
  const spec = tree.text(getChangeArtifactPath(CHANGES_FOLDER, record.id, "spec"));
  if (spec === undefined) return false;
  return (
    parseSpecDeltas(spec).deltas.map(serializeDelta).join("\n") !== (record.deltas ?? []).map(serializeDelta).join("\n")
  );
}

function createSpecEditedFault({ id }: ChangeRecord): Fault {
  return new Fault("change.spec-edited", {
    what: `${id} cannot be archived.`,
    why: `The deltas in ${getChangeArtifactPath(CHANGES_FOLDER, id, "spec")} are not those that were checked: it was edited since.`,
    fix: [
      { operation: "change.reopen", input: { change_id: id, stage: "spec", reason: "…" } },
      `Or go back to what was checked: git checkout -- ${getChangeArtifactPath(CHANGES_FOLDER, id, "spec")}`,
    ],
  });
}

export function inspectLivingSpecs(tree: StoreTree): LocatedProblem[] {
  const books = loadSpecBooks(tree);
  const marks = (Object.keys(SPEC_BOOK_PATHS) as SpecBook[]).flatMap((book) =>
    findConflictMarkers(parseProseLines(books[book] ?? "")).map((problem) => ({
      path: SPEC_BOOK_PATHS[book],
      ...problem,
    })),
  );
  if (marks.length > 0) return marks;
  const twice = (Object.keys(SPEC_BOOK_PATHS) as SpecBook[]).flatMap((book) =>
    listDuplicateIds(outlineSpecItems(books[book] ?? "")).map(({ id, line }) => ({
      path: SPEC_BOOK_PATHS[book],
      problem: `${id} is defined twice: give one of them the next free number.`,
      line,
    })),
  );
  return [...twice, ...listOpenChanges(tree).flatMap((record) => inspectChangeDeltas(tree, record))];
}

function inspectChangeDeltas(tree: StoreTree, record: ChangeRecord): LocatedProblem[] {
  const path = getChangeArtifactPath(CHANGES_FOLDER, record.id, "spec");
  const isDone = record.stages.some(({ name, status }) => name === "spec" && status === "completed");
  const spec = tree.text(path);
  if (!isDone || spec === undefined) return [];
  const malformed = parseSpecDeltas(spec).problems.map((problem) => ({ path, ...problem }));
  if (malformed.length > 0) return malformed;
  if (isSpecEdited(tree, record)) {
    return [{ path, problem: "Its deltas are not those that were checked: reopen the stage, or undo the edit." }];
  }
  return mergeSpecDeltas(loadSpecBooks(tree), record.deltas ?? [], record.id).conflicts.map(({ id, why }) => ({
    path,
    problem: `${id} collides with the project's: ${why} Archiving will ask whose word holds.`,
  }));
}
