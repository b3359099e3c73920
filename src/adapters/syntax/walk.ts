import type { Tree } from "web-tree-sitter";

export interface TreeWalkStep {
  readonly type: string;
  readonly isNamed: boolean;
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly parent: TreeWalkStep | undefined;
}

/**
 * Visits every node in text order. `see` returns whether to enter the node. Not recursive: a tree may be as deep as its
 * text is long. False after the deadline.
 */
export function walkSyntaxTree(tree: Tree, deadline: number, see: (step: TreeWalkStep) => boolean): boolean {
  const cursor = tree.walk();
  try {
    let parent: TreeWalkStep | undefined;
    let count = 0;
    for (;;) {
      if (++count % 1024 === 0 && performance.now() > deadline) return false;
      const step: TreeWalkStep = {
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
