import { type ChangeId, isChangeId } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { isUntouchedTemplate } from "../../model/change/artifact-template.ts";
import { isUsualChangeRecord } from "../../model/change/usual-change-record.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath, ChangeShelf } from "#kernel/model/workspace-paths.ts";
import { getChangeFolder, getChangeRecordPath, joinFolderPath } from "#kernel/model/workspace-paths.ts";
import type { StoredRecordShape, StoreTree } from "#store/operations/ports/store.ts";

type ChangeShape = (id: ChangeId) => StoredRecordShape<ChangeRecord>;

/** A start that was interrupted leaves templates without a record. The next write finishes or removes them. */
const hasOwnFile = (tree: StoreTree, folder: WorkspacePath): boolean =>
  tree.names(folder).some((name) => {
    const text = name.endsWith(".md") ? tree.text(joinFolderPath(folder, name)) : undefined;
    return text === undefined || !isUntouchedTemplate(text);
  });

/** Oldest first. Reports damaged records separately. */
export function loadRecordsOfShape(tree: StoreTree, shelves: readonly ChangeShelf[], createShape: ChangeShape) {
  const changes = new Map<string, { readonly shelf: ChangeShelf; readonly record: ChangeRecord }>();
  const damaged: { path: WorkspacePath; why: string }[] = [];
  for (const shelf of shelves) {
    for (const id of tree.names(shelf).filter(isChangeId)) {
      const path = getChangeRecordPath(shelf, id);
      try {
        const record = tree.record(path, createShape(id));
        if (record) changes.set(id, { shelf, record });
        else if (hasOwnFile(tree, getChangeFolder(shelf, id))) damaged.push({ path, why: "It is missing." });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        damaged.push({ path, why: error.why });
      }
    }
  }
  return { changes: [...changes.values()].toSorted((a, b) => compareChangesByAge(a.record, b.record)), damaged };
}

/** As `loadChangeRecords`, without the schema library. Only `loadChangeRecords` decides about damaged records. */
export const loadUsualChangeRecords = (tree: StoreTree, shelves: readonly ChangeShelf[]) =>
  loadRecordsOfShape(tree, shelves, (id) => ({
    schema: 1,
    problem: (value) => (isUsualChangeRecord(value, id) ? undefined : "it is unusual"),
    trust: asChangeRecord,
  }));

export const asChangeRecord = (value: unknown): ChangeRecord => value as ChangeRecord;

export function compareChangesByAge(a: ChangeRecord, b: ChangeRecord): number {
  const isOlder = a.created_at === b.created_at ? a.id < b.id : a.created_at < b.created_at;
  return isOlder ? -1 : 1;
}
