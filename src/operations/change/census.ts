import { type ChangeId, isChangeId } from "#domain/change/id.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { asChangeRecord, changeRecordProblem } from "#domain/change/shape.ts";
import { Fault } from "#domain/fault.ts";
import { changeFolder, changeRecord, CHANGES, HISTORY, type Path, type Shelf } from "#domain/workspace/path.ts";
import type { RecordShape, Tree } from "../ports/store.ts";

export interface ShelvedChange {
  readonly shelf: Shelf;
  readonly record: ChangeRecord;
}

export const changeShape = (id: ChangeId): RecordShape<ChangeRecord> => ({
  schema: 1,
  problem: (value) => changeRecordProblem(value, id),
  trust: asChangeRecord,
});

/** Changes first: a change that is being archived moves from there to history, and so is never missed. */
export const SHELVES: readonly Shelf[] = [CHANGES, HISTORY];

export interface Census {
  readonly changes: readonly ShelvedChange[];
  /** Records that could not be read, and why. */
  readonly damaged: readonly { readonly path: Path; readonly why: string }[];
}

/** Every change on the given shelves, oldest first; damaged records are told apart, never left out. */
export function everyChange(tree: Tree, shelves: readonly Shelf[] = SHELVES): Census {
  const changes = new Map<string, ShelvedChange>();
  const damaged: { path: Path; why: string }[] = [];
  for (const shelf of shelves) {
    for (const id of changeIds(tree, shelf)) {
      const path = changeRecord(shelf, id);
      try {
        const record = tree.record(path, changeShape(id));
        if (record) changes.set(id, { shelf, record });
        else if (tree.names(changeFolder(shelf, id)).length > 0) damaged.push({ path, why: "It is missing." });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        damaged.push({ path, why: error.why });
      }
    }
  }
  return { changes: [...changes.values()].toSorted((a, b) => byAge(a.record, b.record)), damaged };
}

/** A change counts as open until it is archived: one that is completed has yet to leave its deltas in the documents. */
export const isOpen = ({ status }: Pick<ChangeRecord, "status">): boolean =>
  status === "active" || status === "completed";

/** Open changes, oldest first, as far as their records can be read. */
export const openChanges = (tree: Tree): ChangeRecord[] =>
  everyChange(tree, [CHANGES])
    .changes.map(({ record }) => record)
    .filter(isOpen);

export const changeIds = (tree: Tree, shelf: Shelf): ChangeId[] => tree.names(shelf).filter(isChangeId);

export const byAge = (a: ChangeRecord, b: ChangeRecord): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1;
