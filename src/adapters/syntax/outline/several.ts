import type { Code, Place } from "../code.ts";
import type { Found } from "./language.ts";

/** One of the things that a declaration declares; the first begins where all of it does, and each says the words before. */
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
