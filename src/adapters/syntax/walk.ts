import type { Tree } from "web-tree-sitter";

/** A node on the way through a tree, and what is known of those around it. */
export interface Step {
  readonly type: string;
  readonly isNamed: boolean;
  /** What it is to the node around it: `condition`, `operator`. */
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly parent: Step | undefined;
}

/**
 * Goes through every node from the first letter to the last. What `see` returns for a node says whether to go into it.
 * Without recursion: a tree may be as deep as its text is long. False when time ran out.
 */
export function walk(tree: Tree, deadline: number, see: (step: Step) => boolean): boolean {
  const cursor = tree.walk();
  try {
    let parent: Step | undefined;
    let count = 0;
    for (;;) {
      if (++count % 1024 === 0 && performance.now() > deadline) return false;
      const step: Step = {
        type: cursor.nodeType,
        isNamed: cursor.nodeIsNamed,
        field: cursor.currentFieldName,
        start: cursor.startIndex,
        end: cursor.endIndex,
        parent,
      };
      if (see(step) && cursor.gotoFirstChild()) {
        parent = step;
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return true;
        parent = parent?.parent;
      }
    }
  } finally {
    cursor.delete();
  }
}
