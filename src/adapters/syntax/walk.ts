import type { Node, Tree } from "web-tree-sitter";

/** A node on the way through a tree, and what is known of those around it. */
export interface Step {
  readonly type: string;
  readonly isNamed: boolean;
  /** What it is to the node around it: `condition`, `operator`. */
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly parent: Step | undefined;
  /** Of all nodes, whether this one and those around it are reached by a condition, within one function. */
  readonly isConditional: boolean;
  /** How many calls and definitions lie around it. */
  readonly depth: number;
  /** The node itself; dear, so it is only asked for where something was found. */
  node(): Node;
}

const FUNCTION = /function|method|lambda|^func_literal$|^closure_expression$|^(?:class|mod|module)(?:_|$)/;
const BRANCH =
  /^(?:if|elif|else|unless|while|for|until|switch|case|match|try|catch|except|conditional|ternary|rescue)(?:_|$)|_case$|^(?:type_)?switch|_arm$|^boolean_operator$|^for_in_statement$/;

/** A condition that always holds is none: `if (true)`. */
const ALWAYS = /^\(?\s*(?:true|True|1)\s*\)?$/;

/** Whoever nests deeper than this wrote no code that anybody reads. */
export const DEEPEST = 100;
const NESTS = /^(?:call|call_expression|macro_invocation|method_invocation)$|_item$|_definition$|_declaration$/;

/**
 * Goes through every node from the first letter to the last. What `see` returns for a node says whether to go into it.
 * Without recursion: a tree may be as deep as its text is long. False when time ran out.
 */
export function walk(tree: Tree, text: string, deadline: number, see: (step: Step) => boolean): boolean {
  const cursor = tree.walk();
  try {
    let parent: Step | undefined;
    let count = 0;
    for (;;) {
      if (++count % 1024 === 0 && performance.now() > deadline) return false;
      const step = stepAt(cursor, parent, text);
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

type Cursor = ReturnType<Tree["walk"]>;

function stepAt(cursor: Cursor, parent: Step | undefined, text: string): Step {
  const [type, isNamed] = [cursor.nodeType, cursor.nodeIsNamed];
  const step = {
    type,
    isNamed,
    field: cursor.currentFieldName,
    start: cursor.startIndex,
    end: cursor.endIndex,
    parent,
    isConditional: parent?.isConditional ?? false,
    depth: parent?.depth ?? 0,
    node: () => cursor.currentNode,
  };
  if (!isNamed) return step;
  if (NESTS.test(type)) step.depth++;
  if (FUNCTION.test(type)) step.isConditional = false;
  else if (BRANCH.test(type) && !isAlways(cursor, text)) step.isConditional = true;
  return step;
}

function isAlways(cursor: Cursor, text: string): boolean {
  if (!cursor.nodeType.startsWith("if_")) return false;
  const condition = cursor.currentNode.childForFieldName("condition");
  return (
    condition !== null &&
    ALWAYS.test(text.slice(condition.startIndex, Math.min(condition.endIndex, condition.startIndex + 20)))
  );
}
