import { isChangeId } from "#domain/change/id.ts";
import { Fault } from "#domain/fault.ts";
import { isHoofyAtWork } from "#domain/importing/hoofy.ts";
import { getChangeRecordPath, CHANGES_FOLDER, HISTORY_FOLDER, PROJECT_RECORD_PATH } from "#domain/workspace/path.ts";
import type { StoreTree } from "../ports/store.ts";

/** Steps that move Hoofy's folder. The user runs them, because an import never moves its source. */
export const WAY_ON = ["git mv sdd hoofy", "tenon init", "tenon import hoofy --apply"] as const;

export function inTheWay(what: string): Fault {
  return new Fault("import.in-the-way", {
    what,
    why: "Hoofy is at work in sdd/, where Tenon keeps its own files, and an import never moves its source.",
    fix: [...WAY_ON],
  });
}

export function refuseToMix(tree: StoreTree): void {
  const changes = [CHANGES_FOLDER, HISTORY_FOLDER].flatMap((shelf) =>
    tree
      .names(shelf)
      .filter(isChangeId)
      .flatMap((id) => tree.text(getChangeRecordPath(shelf, id)) ?? []),
  );
  if (isHoofyAtWork(tree.text(PROJECT_RECORD_PATH), changes)) throw inTheWay("This folder was not made a workspace.");
}

export const withoutOurs = (tree: StoreTree): StoreTree => ({
  ...tree,
  text: (path) => (isOurs(path) ? undefined : tree.text(path)),
  record: (path, shape) => (isOurs(path) ? undefined : tree.record(path, shape)),
  names: (folder) => (isOurs(folder) ? [] : tree.names(folder)),
  has: (path) => !isOurs(path) && tree.has(path),
});

const isOurs = (path: string): boolean => path.startsWith("sdd/");
