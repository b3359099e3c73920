import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
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

/** The next number of an archived text: `spec-1.md`, `spec-2.md`. */
export function findNextArchiveNumber(tree: Pick<StoreTree, "names">, folder: WorkspacePath, name: string): number {
  const own = tree.names(folder).filter((file) => file.startsWith(`${name}-`));
  const numbers = own.map((file) => Number.parseInt(file.slice(name.length + 1), 10));
  return Math.max(0, ...numbers.filter(Number.isSafeInteger)) + 1;
}
