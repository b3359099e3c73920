import type { ChangeRecord } from "../../model/change/change-record.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import {
  type SpecBooks,
  checkSpecDeltas,
  type DeltaClaim,
  listNewIds,
  type SpecBook,
  SPEC_BOOK_PATHS,
  type DeltaConflict,
  mergeSpecDeltas,
} from "../../model/living-spec/delta-merge.ts";
import {
  type SpecDelta,
  parseSpecDeltas,
  serializeDelta,
  listDuplicateIds,
  outlineSpecItems,
} from "../../model/living-spec/item-outline.ts";
import {
  BUSINESS_RULES_PATH,
  REQUIREMENTS_PATH,
  getChangeArtifactPath,
  CHANGES_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import { findProjectRecord } from "../project/project-record-file.ts";
import { listArchivedChangeSpecIds } from "../project/project-document-files.ts";
import type { StoreTree, StoreStep } from "#store/operations/ports/store.ts";
import { listOpenChanges } from "./change-records.ts";
import { findConflictMarkers, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { MergeDecision, MergeOutcome } from "../../model/living-spec/delta-vocabulary.ts";
import type { LocatedProblem } from "./change-inspection.ts";

export interface DeltaOverlap {
  readonly id: string;
  readonly op: string;
  readonly change: string;
  readonly other_op: string;
}

interface StampedDeltas {
  readonly deltas: readonly SpecDelta[];
  readonly problems: readonly Problem[];
  readonly overlaps: readonly DeltaOverlap[];
}

export const NO_STAMPED_DELTAS: StampedDeltas = { deltas: [], problems: [], overlaps: [] };

/** Characters. Stays below the maximum size of a record. */
const MAX_STAMPED_DELTAS_LENGTH = 400_000;

const loadSpecBooks = (tree: StoreTree): SpecBooks => ({
  requirements: tree.text(REQUIREMENTS_PATH),
  rules: tree.text(BUSINESS_RULES_PATH),
});

export function stampSpecDeltas(
  engine: Pick<PlanningEngine, "digest">,
  tree: StoreTree,
  record: ChangeRecord,
  spec: string,
): StampedDeltas {
  const claims = listOtherChangeClaims(tree, record.id);
  // Reading the whole history is slow, so do it only if the spec adds ids.
  const parsed = parseSpecDeltas(spec);
  const hasNew = parsed.deltas.some((delta) => listNewIds(delta).length > 0);
  const given = hasNew || parsed.loose.length > 0 ? listAssignedSpecIds(tree) : [];
  const { deltas, problems } = checkSpecDeltas(spec, { books: loadSpecBooks(tree), claims, given });
  // A delta with unchanged wording keeps its original base text.
  const earlier = new Map((record.deltas ?? []).map((delta) => [serializeDelta(delta), delta]));
  const stamped = deltas.map(
    (delta) => earlier.get(serializeDelta(delta)) ?? { ...delta, base: engine.digest(delta.was) },
  );
  return {
    deltas: stamped,
    problems: [
      ...problems,
      ...(JSON.stringify(stamped).length > MAX_STAMPED_DELTAS_LENGTH
        ? [{ problem: "The deltas are too long for one change: split it." }]
        : []),
    ],
    overlaps: stamped.flatMap(({ op, id }) =>
      claims.flatMap(({ change, deltas: theirs }) =>
        theirs
          .filter((other) => other.id === id || other.to === id)
          .map((other) => ({ id, op, change, other_op: other.op })),
      ),
    ),
  };
}

export function replaceChangeDeltas(record: ChangeRecord, deltas: readonly SpecDelta[]): ChangeRecord {
  const { deltas: _, ...rest } = record;
  return deltas.length > 0 ? { ...rest, deltas } : rest;
}

export const describeDeltaOverlap = ({ id, op, change, other_op }: DeltaOverlap): string =>
  `${id} is ${op} here and ${other_op} by the open change ${change}: agree on one text now, for the second to be archived is refused until somebody decides.`;

function listOtherChangeClaims(tree: StoreTree, own: string): DeltaClaim[] {
  return listOpenChanges(tree)
    .filter(({ id }) => id !== own)
    .flatMap(({ id, deltas }) => (deltas ? [{ change: id, deltas }] : []));
}

/** Includes ids that are no longer in a document. */
const listAssignedSpecIds = (tree: StoreTree): string[] => [
  ...(findProjectRecord(tree)?.ids ?? []),
  ...listArchivedChangeSpecIds(tree),
];

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
