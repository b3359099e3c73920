import { type ChangeId, isChangeId } from "#domain/change/id.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { asChangeRecord, findChangeRecordProblem } from "#domain/change/shape.ts";
import { Fault } from "#domain/fault.ts";
import {
  getChangeFolder,
  getChangeRecordPath,
  CHANGES_FOLDER,
  HISTORY_FOLDER,
  type WorkspacePath,
  type ChangeShelf,
} from "#domain/workspace/path.ts";
import type { StoredRecordShape, StoreTree } from "../ports/store.ts";

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

export interface LoadedChanges {
  readonly changes: readonly StoredChange[];
  readonly damaged: readonly { readonly path: WorkspacePath; readonly why: string }[];
}

/** Oldest first. Reports damaged records separately. */
export function loadChangeRecords(tree: StoreTree, shelves: readonly ChangeShelf[] = CHANGE_FOLDERS): LoadedChanges {
  const changes = new Map<string, StoredChange>();
  const damaged: { path: WorkspacePath; why: string }[] = [];
  for (const shelf of shelves) {
    for (const id of listStoredChangeIds(tree, shelf)) {
      const path = getChangeRecordPath(shelf, id);
      try {
        const record = tree.record(path, createChangeShape(id));
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

/** A completed change counts as open until its deltas are merged by archiving. */
export const isOpenChange = ({ status }: Pick<ChangeRecord, "status">): boolean =>
  status === "active" || status === "completed";

export const listOpenChanges = (tree: StoreTree): ChangeRecord[] =>
  loadChangeRecords(tree, [CHANGES_FOLDER])
    .changes.map(({ record }) => record)
    .filter(isOpenChange);

export const listStoredChangeIds = (tree: StoreTree, shelf: ChangeShelf): ChangeId[] =>
  tree.names(shelf).filter(isChangeId);

export const compareChangesByAge = (a: ChangeRecord, b: ChangeRecord): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1;
