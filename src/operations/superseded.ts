import type { WorkspacePath } from "#domain/workspace/path.ts";
import type { StoreTree } from "./ports/store.ts";

/** The next number of an archived text: `spec-1.md`, `spec-2.md`. */
export function findNextArchiveNumber(tree: Pick<StoreTree, "names">, folder: WorkspacePath, name: string): number {
  const head = `${name}-`;
  const numbers = tree
    .names(folder)
    .map((file) => (file.startsWith(head) ? Number.parseInt(file.slice(head.length), 10) : 0));
  return Math.max(0, ...numbers.filter(Number.isSafeInteger)) + 1;
}
