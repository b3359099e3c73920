import type { Code, Place } from "../code.ts";
import type { Found } from "./language.ts";

/**
 * One of several components in a declaration. The first begins where the declaration does; all share the words before
 * it.
 */
export function oneOf(
  code: Code,
  declaration: Place,
  { node, first, from }: { readonly node: Place; readonly first: Place; readonly from: Place },
): Pick<Found, "whole" | "shared" | "from"> {
  return {
    whole: node === first ? declaration : node,
    shared: code.text.slice(code.start(from), code.start(first)).trim(),
    from: node,
  };
}
