import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { Fault } from "#kernel/model/fault.ts";
import { isHoofyInUse } from "../../model/import/layout-readers.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

/** Steps that move Hoofy's folder. The user runs them, because an import never moves its source. */
export const HOOFY_MOVE_STEPS = ["git mv sdd hoofy", "tenon init", "tenon import hoofy --apply"] as const;

export const createHoofyConflictFault = (what: string): Fault =>
  new Fault("import.in-the-way", {
    what,
    why: "Hoofy is at work in sdd/, where Tenon keeps its own files, and an import never moves its source.",
    fix: [...HOOFY_MOVE_STEPS],
  });

export function rejectHoofyFolder(tree: StoreTree): void {
  const changes = [paths.CHANGES_FOLDER, paths.HISTORY_FOLDER].flatMap((shelf) =>
    tree
      .names(shelf)
      .filter(isChangeId)
      .flatMap((id) => tree.text(paths.getChangeRecordPath(shelf, id)) ?? []),
  );
  if (isHoofyInUse(tree.text(paths.PROJECT_RECORD_PATH), changes))
    throw createHoofyConflictFault("The folder did not become a workspace.");
}

export const hideOwnFolder = (tree: StoreTree): StoreTree => ({
  ...tree,
  text: (path) => (isOwnPath(path) ? undefined : tree.text(path)),
  record: (path, shape) => (isOwnPath(path) ? undefined : tree.record(path, shape)),
  names: (folder) => (isOwnPath(folder) ? [] : tree.names(folder)),
  has: (path) => !isOwnPath(path) && tree.has(path),
});

const isOwnPath = (path: string): boolean => path.startsWith("sdd/");
