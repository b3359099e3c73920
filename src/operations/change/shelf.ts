import { theActiveChange, unknownChange } from "#domain/change/change.ts";
import { type ChangeId, isChangeId, parseChangeId } from "#domain/change/id.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { asChangeRecord, changeRecordProblem } from "#domain/change/shape.ts";
import { Fault } from "#domain/fault.ts";
import type { FlowEffect } from "#domain/flow/transition.ts";
import { changeFolder, changeRecord, CHANGES, HISTORY, type Path, type Shelf } from "#domain/workspace/path.ts";
import type { Occurrence, RecordShape, Step, Tree } from "../store.ts";

export interface ShelvedChange {
  readonly shelf: Shelf;
  readonly record: ChangeRecord;
}

export const changeShape = (id: ChangeId): RecordShape<ChangeRecord> => ({
  schema: 1,
  problem: (value) => changeRecordProblem(value, id),
  trust: asChangeRecord,
});

/** Writes a change's record, wherever the change stands before it is archived. */
export const recordStep = (record: ChangeRecord): Step => ({
  kind: "record",
  path: changeRecord(CHANGES, record.id),
  record,
  shape: changeShape(record.id),
});

/** Changes first: a change that is being archived moves from there to history, and so is never missed. */
const SHELVES: readonly Shelf[] = [CHANGES, HISTORY];

export function findChange(tree: Tree, id: ChangeId): ShelvedChange {
  for (const shelf of SHELVES) {
    const record = tree.record(changeRecord(shelf, id), changeShape(id));
    if (record && shelf === HISTORY && record.status !== "archived") throw misplaced(record);
    if (record) return { shelf, record };
  }
  throw unknownChange(id);
}

function misplaced({ id, status }: ChangeRecord): Fault {
  return new Fault("record.unsound", {
    what: `Change ${id} cannot be used.`,
    why: `It is ${status}, but stands among the archived ones.`,
    fix: `mv ${changeFolder(HISTORY, id)} ${changeFolder(CHANGES, id)}`,
  });
}

/** The named change, or the only active one. `operation` is what to call again where several are. */
export function chooseChange(tree: Tree, name: string | undefined, operation: string): ShelvedChange {
  if (name !== undefined) return findChange(tree, parseChangeId(name));
  return { shelf: CHANGES, record: theActiveChange(unfinishedChanges(tree), operation) };
}

/** Active changes, oldest first. A damaged record is a fault here: it might be an active one. */
export function unfinishedChanges(tree: Tree): ChangeRecord[] {
  const records = changeIds(tree, CHANGES).flatMap(
    (id) => tree.record(changeRecord(CHANGES, id), changeShape(id)) ?? [],
  );
  return inOrder(records.filter((record) => record.status === "active"));
}

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

/** A name is taken by any folder, even one without a record. */
export const isTaken = (tree: Tree): ((id: string) => boolean) => {
  const names = new Set(SHELVES.flatMap((shelf) => tree.names(shelf).map((name) => name.toLowerCase())));
  return (id) => names.has(id);
};

export function occurrences(record: ChangeRecord, effects: readonly FlowEffect[]): Occurrence[] {
  return effects.map(({ kind, ...data }) => ({
    kind: `change.${kind.replace("flow-", "")}`,
    subject: record.id,
    ...(Object.keys(data).length > 0 ? { data } : {}),
  }));
}

const changeIds = (tree: Tree, shelf: Shelf): ChangeId[] => tree.names(shelf).filter(isChangeId);

const inOrder = (records: readonly ChangeRecord[]): ChangeRecord[] => records.toSorted(byAge);

const byAge = (a: ChangeRecord, b: ChangeRecord): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1;
