import { type ChangeId, isChangeId, parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { type ChangeRecord, asChangeRecord, findChangeRecordProblem } from "../../model/change/change-record.ts";
import { Fault } from "#kernel/model/fault.ts";
import {
  getChangeFolder,
  getChangeRecordPath,
  CHANGES_FOLDER,
  HISTORY_FOLDER,
  type WorkspacePath,
  type ChangeShelf,
} from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, StoreTree, StoreStep } from "#store/operations/ports/store.ts";
import { requireOnlyActiveChange, createUnknownChangeFault } from "../../model/change/change-lifecycle.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import { WORKFLOW_SPACE } from "../workflow/ledger-spaces.ts";

export interface StoredChange {
  readonly shelf: ChangeShelf;
  readonly record: ChangeRecord;
}

export const createChangeShape = (id: ChangeId): StoredRecordShape<ChangeRecord> => ({
  schema: 1,
  problem: (value) => findChangeRecordProblem(value, id),
  trust: asChangeRecord,
});

/** In this order: a change moves from `changes` to `history` while it is archived, so a reader never misses it. */
const CHANGE_FOLDERS: readonly ChangeShelf[] = [CHANGES_FOLDER, HISTORY_FOLDER];

export interface LoadedChanges {
  readonly changes: readonly StoredChange[];
  readonly damaged: readonly { readonly path: WorkspacePath; readonly why: string }[];
}

/** Oldest first. Reports damaged records separately. */
export function loadChangeRecords(tree: StoreTree, shelves: readonly ChangeShelf[] = CHANGE_FOLDERS): LoadedChanges {
  const changes = new Map<string, StoredChange>();
  const damaged: { path: WorkspacePath; why: string }[] = [];
  for (const shelf of shelves) {
    for (const id of tree.names(shelf).filter(isChangeId)) {
      const path = getChangeRecordPath(shelf, id);
      try {
        const record = readChangeRecord(tree, shelf, id);
        if (record) changes.set(id, { shelf, record });
        else if (tree.names(getChangeFolder(shelf, id)).length > 0) damaged.push({ path, why: "It is missing." });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        damaged.push({ path, why: error.why });
      }
    }
  }
  return { changes: [...changes.values()].toSorted((a, b) => compareChangesByAge(a.record, b.record)), damaged };
}

const readChangeRecord = (tree: StoreTree, shelf: ChangeShelf, id: ChangeId): ChangeRecord | undefined =>
  tree.record(getChangeRecordPath(shelf, id), createChangeShape(id));

const compareChangesByAge = (a: ChangeRecord, b: ChangeRecord): number =>
  `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1;

/** A completed change counts as open until its deltas are merged by archiving. */
export const isOpenChange = ({ status }: Pick<ChangeRecord, "status">): boolean =>
  status === "active" || status === "completed";

export const listOpenChanges = (tree: StoreTree): ChangeRecord[] =>
  loadChangeRecords(tree, [CHANGES_FOLDER])
    .changes.map(({ record }) => record)
    .filter(isOpenChange);

export const createChangeRecordStep = (record: ChangeRecord): StoreStep => ({
  kind: "record",
  path: getChangeRecordPath(CHANGES_FOLDER, record.id),
  record,
  shape: createChangeShape(record.id),
});

export function findStoredChange(tree: StoreTree, id: ChangeId): StoredChange {
  for (const shelf of CHANGE_FOLDERS) {
    const record = readChangeRecord(tree, shelf, id);
    if (record && shelf === HISTORY_FOLDER && record.status !== "archived") throw createMisplacedChangeFault(record);
    if (record) return { shelf, record };
  }
  throw createUnknownChangeFault(id);
}

function createMisplacedChangeFault({ id, status }: ChangeRecord): Fault {
  return new Fault("record.unsound", {
    what: `Change ${id} cannot be used.`,
    why: `It is ${status}, but stands among the archived ones.`,
    fix: `mv ${getChangeFolder(HISTORY_FOLDER, id)} ${getChangeFolder(CHANGES_FOLDER, id)}`,
  });
}

/**
 * The named change, or the only active one. A fault about several active changes suggests calling `operation` again.
 */
export function chooseActiveChange(tree: StoreTree, name: string | undefined, operation: string): StoredChange {
  if (name !== undefined) return findStoredChange(tree, parseChangeId(name));
  return { shelf: CHANGES_FOLDER, record: requireOnlyActiveChange(listActiveChanges(tree), operation) };
}

/** Oldest first. Faults on a damaged record, because it may belong to an active change. */
export const listActiveChanges = (tree: StoreTree): ChangeRecord[] =>
  tree
    .names(CHANGES_FOLDER)
    .filter(isChangeId)
    .flatMap((id) => readChangeRecord(tree, CHANGES_FOLDER, id) ?? [])
    .filter(({ status }) => status === "active")
    .toSorted(compareChangesByAge);

export const listCompletedChanges = (tree: StoreTree): StoredChange[] =>
  loadChangeRecords(tree, [CHANGES_FOLDER]).changes.filter(({ record }) => record.status === "completed");

/** The named change, or the only candidate. `purpose` is archive or review. */
export function chooseOnlyChange(
  tree: StoreTree,
  name: string | undefined,
  purpose: "archive" | "review",
  listCandidates: () => { readonly candidates: readonly StoredChange[]; readonly none: string },
): StoredChange {
  if (name !== undefined) return findStoredChange(tree, parseChangeId(name));
  const { candidates, none } = listCandidates();
  const [only, second] = candidates;
  if (only && !second) return only;
  throw new Fault(purpose === "archive" ? "change.none-to-archive" : "change.none-to-review", {
    what: `It is not clear which change to ${purpose}.`,
    why: only ? `${candidates.map(({ record }) => record.id).join(", ")} are ${only.record.status}.` : none,
    fix: only
      ? candidates.map(({ record }) => ({ operation: `change.${purpose}`, input: { change_id: record.id } }))
      : { operation: "change.list" },
  });
}

/** Features, bugfixes and research count toward the same limit as changes. */
export const countUnfinishedWorkflows = (tree: StoreTree): number =>
  [...tree.kept(WORKFLOW_SPACE).values()].filter(isActiveWorkflow).length;

/** A folder without a record also takes a name. */
export const createChangeNameCheck = (tree: StoreTree): ((id: string) => boolean) => {
  const names = new Set(CHANGE_FOLDERS.flatMap((shelf) => tree.names(shelf).map((name) => name.toLowerCase())));
  return (id) => names.has(id);
};
