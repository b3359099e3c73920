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

/**
 * The named change, or the only active one. A fault about several active changes suggests calling `operation` again.
 */
export function chooseChange(tree: Tree, name: string | undefined, operation: string): ShelvedChange {
  if (name !== undefined) return findChange(tree, parseChangeId(name));
  return { shelf: CHANGES, record: theActiveChange(unfinishedChanges(tree), operation) };
}

/** Oldest first. Faults on a damaged record, because it may belong to an active change. */
export function unfinishedChanges(tree: Tree): ChangeRecord[] {
  const records = changeIds(tree, CHANGES).flatMap(
    (id) => tree.record(changeRecord(CHANGES, id), changeShape(id)) ?? [],
  );
  return records.filter((record) => record.status === "active").toSorted(byAge);
}

/** Features, bugfixes and research count toward the same limit as changes. */
export const workflowsBeside = (tree: Tree): number => [...tree.kept(WORKFLOWS).values()].filter(isUnfinished).length;

/** A folder without a record also takes a name. */
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
