import { requireOnlyActiveChange, createUnknownChangeFault } from "#domain/change/change.ts";
import { type ChangeId, parseChangeId } from "#domain/change/id.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { Fault } from "#domain/fault.ts";
import type { FlowEffect } from "#domain/flow/transition.ts";
import { isUnfinished } from "#domain/workflow/workflow.ts";
import { changeFolder, changeRecord, CHANGES, HISTORY } from "#domain/workspace/path.ts";
import type { Occurrence, Step, Tree } from "../ports/store.ts";
import { WORKFLOWS } from "../workflow/spaces.ts";
import {
  compareChangesByAge,
  listStoredChangeIds,
  createChangeShape,
  CHANGE_FOLDERS,
  type StoredChange,
} from "./census.ts";

export const createChangeRecordStep = (record: ChangeRecord): Step => ({
  kind: "record",
  path: changeRecord(CHANGES, record.id),
  record,
  shape: createChangeShape(record.id),
});

export function findStoredChange(tree: Tree, id: ChangeId): StoredChange {
  for (const shelf of CHANGE_FOLDERS) {
    const record = tree.record(changeRecord(shelf, id), createChangeShape(id));
    if (record && shelf === HISTORY && record.status !== "archived") throw createMisplacedChangeFault(record);
    if (record) return { shelf, record };
  }
  throw createUnknownChangeFault(id);
}

function createMisplacedChangeFault({ id, status }: ChangeRecord): Fault {
  return new Fault("record.unsound", {
    what: `Change ${id} cannot be used.`,
    why: `It is ${status}, but stands among the archived ones.`,
    fix: `mv ${changeFolder(HISTORY, id)} ${changeFolder(CHANGES, id)}`,
  });
}

/**
 * The named change, or the only active one. A fault about several active changes suggests calling `operation` again.
 */
export function chooseActiveChange(tree: Tree, name: string | undefined, operation: string): StoredChange {
  if (name !== undefined) return findStoredChange(tree, parseChangeId(name));
  return { shelf: CHANGES, record: requireOnlyActiveChange(listActiveChanges(tree), operation) };
}

/** Oldest first. Faults on a damaged record, because it may belong to an active change. */
export function listActiveChanges(tree: Tree): ChangeRecord[] {
  const records = listStoredChangeIds(tree, CHANGES).flatMap(
    (id) => tree.record(changeRecord(CHANGES, id), createChangeShape(id)) ?? [],
  );
  return records.filter((record) => record.status === "active").toSorted(compareChangesByAge);
}

/** Features, bugfixes and research count toward the same limit as changes. */
export const countUnfinishedWorkflows = (tree: Tree): number =>
  [...tree.kept(WORKFLOWS).values()].filter(isUnfinished).length;

/** A folder without a record also takes a name. */
export const createChangeNameCheck = (tree: Tree): ((id: string) => boolean) => {
  const names = new Set(CHANGE_FOLDERS.flatMap((shelf) => tree.names(shelf).map((name) => name.toLowerCase())));
  return (id) => names.has(id);
};

export function createChangeOccurrences(record: ChangeRecord, effects: readonly FlowEffect[]): Occurrence[] {
  return effects.map(({ kind, ...data }) => ({
    kind: `change.${kind.replace("flow-", "")}`,
    subject: record.id,
    ...(Object.keys(data).length > 0 ? { data } : {}),
  }));
}
