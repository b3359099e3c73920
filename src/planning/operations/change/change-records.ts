import { type ChangeId, isChangeId, parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { type ChangeRecord, findChangeRecordProblem } from "../../model/change/change-record.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { ChangeShelf } from "#kernel/model/workspace-paths.ts";
import { getChangeFolder, getChangeRecordPath, CHANGES_FOLDER, HISTORY_FOLDER } from "#kernel/model/workspace-paths.ts";
import { findClosestWord, quote } from "#kernel/model/text-format.ts";
import type { StoredRecordShape, StoreTree, StoreStep } from "#store/operations/ports/store.ts";
import { requireOnlyActiveChange } from "../../model/change/change-lifecycle.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import { WORKFLOW_SPACE } from "../workflow/ledger-spaces.ts";
import { asChangeRecord, compareChangesByAge, loadRecordsOfShape } from "./load-change-records.ts";

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
export const CHANGE_FOLDERS: readonly ChangeShelf[] = [CHANGES_FOLDER, HISTORY_FOLDER];

/** Oldest first. Reports damaged records separately. */
export const loadChangeRecords = (tree: StoreTree, shelves: readonly ChangeShelf[] = CHANGE_FOLDERS) =>
  loadRecordsOfShape(tree, shelves, createChangeShape);

const readChangeRecord = (tree: StoreTree, shelf: ChangeShelf, id: ChangeId): ChangeRecord | undefined =>
  tree.record(getChangeRecordPath(shelf, id), createChangeShape(id));

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
    if (record && shelf === HISTORY_FOLDER && record.status !== "archived") {
      throw new Fault("record.unsound", {
        what: `Change ${id} cannot be used.`,
        why: `It is ${record.status}, but it is in the archive.`,
        fix: `mv ${getChangeFolder(HISTORY_FOLDER, id)} ${getChangeFolder(CHANGES_FOLDER, id)}`,
      });
    }
    if (record) return { shelf, record };
  }
  const near = findClosestWord(
    id,
    CHANGE_FOLDERS.flatMap((folder) => tree.names(folder)),
  );
  throw new Fault("change.unknown", {
    what: `Unknown change ${id}.`,
    why: near ? `Did you mean ${quote(near)}?` : "Neither sdd/changes nor sdd/history has a record of that name.",
    fix: { operation: "change.list" },
  });
}

/** The named change, or the only active one. If several are active, the fault suggests calling `operation` again. */
export function chooseActiveChange(tree: StoreTree, name: string | undefined, operation: string): StoredChange {
  if (name !== undefined) return findStoredChange(tree, parseChangeId(name));
  return { shelf: CHANGES_FOLDER, record: requireOnlyActiveChange(listActiveChanges(tree), operation) };
}

/** The named change, or the only active one, or the only one that is completed while none is active. */
export function chooseChangeToReopen(tree: StoreTree, name: string | undefined): StoredChange {
  const isIdle = name === undefined && listActiveChanges(tree).length === 0;
  const [only, second] = isIdle ? listCompletedChanges(tree) : [];
  return only && !second ? only : chooseActiveChange(tree, name, "change.reopen");
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
export function chooseOnlyChange(tree: StoreTree, name: string | undefined, purpose: "archive" | "review") {
  if (name !== undefined) return findStoredChange(tree, parseChangeId(name));
  const active = purpose === "review" ? listActiveChanges(tree) : [];
  const reviewed = active.map((record): StoredChange => ({ shelf: CHANGES_FOLDER, record }));
  const candidates = reviewed.length > 0 ? reviewed : listCompletedChanges(tree);
  const none = `No change is ${purpose === "review" ? "active or " : ""}completed.`;
  const [only, second] = candidates;
  if (only && !second) return only;
  throw new Fault(purpose === "archive" ? "change.none-to-archive" : "change.none-to-review", {
    what: only ? `Several changes match. Name the one to ${purpose}.` : `There is nothing to ${purpose}.`,
    why: only ? `${candidates.map(({ record }) => record.id).join(", ")} are ${only.record.status}.` : none,
    fix: only
      ? candidates.map(({ record }) => ({ operation: `change.${purpose}`, input: { change_id: record.id } }))
      : { operation: "change.list" },
  });
}

/** Features, bugfixes and research count toward the same limit as changes. */
export const countUnfinishedWorkflows = (tree: StoreTree): number =>
  [...tree.kept(WORKFLOW_SPACE).values()].filter(isActiveWorkflow).length;
