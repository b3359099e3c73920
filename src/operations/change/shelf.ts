import { requireOnlyActiveChange, createUnknownChangeFault } from "#domain/change/change.ts";
import { type ChangeId, parseChangeId } from "#domain/change/id.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { Fault } from "#domain/fault.ts";
import type { FlowEffect } from "#domain/flow/transition.ts";
import { isActiveWorkflow } from "#domain/workflow/workflow.ts";
import { getChangeFolder, getChangeRecordPath, CHANGES_FOLDER, HISTORY_FOLDER } from "#domain/workspace/path.ts";
import type { StoreOccurrence, StoreStep, StoreTree } from "../ports/store.ts";
import { WORKFLOW_SPACE } from "../workflow/spaces.ts";
import {
  compareChangesByAge,
  listStoredChangeIds,
  createChangeShape,
  CHANGE_FOLDERS,
  type StoredChange,
} from "./census.ts";

export const createChangeRecordStep = (record: ChangeRecord): StoreStep => ({
  kind: "record",
  path: getChangeRecordPath(CHANGES_FOLDER, record.id),
  record,
  shape: createChangeShape(record.id),
});

export function findStoredChange(tree: StoreTree, id: ChangeId): StoredChange {
  for (const shelf of CHANGE_FOLDERS) {
    const record = tree.record(getChangeRecordPath(shelf, id), createChangeShape(id));
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
export function listActiveChanges(tree: StoreTree): ChangeRecord[] {
  const records = listStoredChangeIds(tree, CHANGES_FOLDER).flatMap(
    (id) => tree.record(getChangeRecordPath(CHANGES_FOLDER, id), createChangeShape(id)) ?? [],
  );
  return records.filter((record) => record.status === "active").toSorted(compareChangesByAge);
}

/** Features, bugfixes and research count toward the same limit as changes. */
export const countUnfinishedWorkflows = (tree: StoreTree): number =>
  [...tree.kept(WORKFLOW_SPACE).values()].filter(isActiveWorkflow).length;

/** A folder without a record also takes a name. */
export const createChangeNameCheck = (tree: StoreTree): ((id: string) => boolean) => {
  const names = new Set(CHANGE_FOLDERS.flatMap((shelf) => tree.names(shelf).map((name) => name.toLowerCase())));
  return (id) => names.has(id);
};

export function createChangeOccurrences(record: ChangeRecord, effects: readonly FlowEffect[]): StoreOccurrence[] {
  return effects.map(({ kind, ...data }) => ({
    kind: `change.${kind.replace("flow-", "")}`,
    subject: record.id,
    ...(Object.keys(data).length > 0 ? { data } : {}),
  }));
}
