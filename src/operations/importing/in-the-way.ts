import { isChangeId } from "#domain/change/id.ts";
import { Fault } from "#domain/fault.ts";
import { isHoofyAtWork } from "#domain/importing/hoofy.ts";
import { changeRecord, CHANGES, HISTORY, PROJECT } from "#domain/workspace/path.ts";
import type { Tree } from "../ports/store.ts";

/** Steps that move Hoofy's folder. The user runs them, because an import never moves its source. */
export const WAY_ON = ["git mv sdd hoofy", "tenon init", "tenon import hoofy --apply"] as const;

export function inTheWay(what: string): Fault {
  return new Fault("import.in-the-way", {
    what,
    why: "Hoofy is at work in sdd/, where Tenon keeps its own files, and an import never moves its source.",
    fix: [...WAY_ON],
  });
}

export function refuseToMix(tree: Tree): void {
  const changes = [CHANGES, HISTORY].flatMap((shelf) =>
    tree
      .names(shelf)
      .filter(isChangeId)
      .flatMap((id) => tree.text(changeRecord(shelf, id)) ?? []),
  );
  if (isHoofyAtWork(tree.text(PROJECT), changes)) throw inTheWay("This folder was not made a workspace.");
}

export const withoutOurs = (tree: Tree): Tree => ({
  ...tree,
  text: (path) => (isOurs(path) ? undefined : tree.text(path)),
  record: (path, shape) => (isOurs(path) ? undefined : tree.record(path, shape)),
  names: (folder) => (isOurs(folder) ? [] : tree.names(folder)),
  has: (path) => !isOurs(path) && tree.has(path),
});

const isOurs = (path: string): boolean => path.startsWith("sdd/");
