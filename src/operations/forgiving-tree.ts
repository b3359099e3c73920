import { Fault } from "#domain/fault.ts";
import type { WorkspacePath } from "#domain/workspace/path.ts";
import type { StoreTree } from "./ports/store.ts";

/** Reports an unreadable file once and treats it as missing, so that a full scan can continue. */
export function createTolerantTree(
  tree: StoreTree,
  tell: (path: WorkspacePath, why: string, fault: Fault) => void,
): StoreTree {
  const told = new Set<WorkspacePath>();
  const forgive = <T>(path: WorkspacePath, look: () => T, otherwise: T): T => {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (!told.has(path)) tell(path, error.why, error);
      told.add(path);
      return otherwise;
    }
  };
  return {
    ...tree,
    text: (path) => forgive(path, () => tree.text(path), undefined),
    names: (folder) => forgive(folder, () => tree.names(folder), []),
    has: (path) => forgive(path, () => tree.has(path), true),
  };
}
