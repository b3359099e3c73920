import { theActiveChange, unknownChange } from "#domain/change/change.ts";
import { type ChangeId, parseChangeId } from "#domain/change/id.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import { Fault } from "#domain/fault.ts";
import type { FlowEffect } from "#domain/flow/transition.ts";
import { isUnfinished } from "#domain/workflow/workflow.ts";
import { changeFolder, changeRecord, CHANGES, HISTORY } from "#domain/workspace/path.ts";
import type { Occurrence, Step, Tree } from "../ports/store.ts";
import { WORKFLOWS } from "../workflow/spaces.ts";
import { byAge, changeIds, changeShape, SHELVES, type ShelvedChange } from "./census.ts";

/** Writes a change's record, wherever the change stands before it is archived. */
export const recordStep = (record: ChangeRecord): Step => ({
  kind: "record",
  path: changeRecord(CHANGES, record.id),
  record,
  shape: changeShape(record.id),
});

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
  return records.filter((record) => record.status === "active").toSorted(byAge);
}

/** How many features, bugfixes and researches are unfinished beside the changes: there is one limit for all. */
export const workflowsBeside = (tree: Tree): number => [...tree.kept(WORKFLOWS).values()].filter(isUnfinished).length;

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
