import { Fault } from "#domain/fault.ts";
import type { Path } from "#domain/workspace/path.ts";
import type { Tree } from "./ports/store.ts";

/** Reports an unreadable file once and treats it as missing, so that a full scan can continue. */
export function forgivingTree(tree: Tree, tell: (path: Path, why: string, fault: Fault) => void): Tree {
  const told = new Set<Path>();
  const forgive = <T>(path: Path, look: () => T, otherwise: T): T => {
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
