import type { ParsedCode, NodeIndex } from "../code.ts";
import type { FoundComponent } from "./language.ts";

/**
 * One of several components in a declaration. The first begins where the declaration does; all share the words before
 * it.
 */
export function describeSharedDeclaration(
  code: ParsedCode,
  declaration: NodeIndex,
  { node, first, from }: { readonly node: NodeIndex; readonly first: NodeIndex; readonly from: NodeIndex },
): Pick<FoundComponent, "whole" | "shared" | "from"> {
  return {
    whole: node === first ? declaration : node,
    shared: code.text.slice(code.start(from), code.start(first)).trim(),
    from: node,
  };
}
