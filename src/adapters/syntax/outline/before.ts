import { type Code, NONE, type Place } from "../code.ts";
import type { LanguageOutline } from "./language.ts";

export interface Before {
  readonly start: number;
  readonly comments: readonly Place[];
  readonly marks: readonly Place[];
}

/** A file may have a hundred thousand comments above one function. */
const MOST = 400;

export function before(code: Code, whole: Place, { marks = [], bodies = [], belongs }: LanguageOutline): Before {
  const found = { comments: [] as Place[], marks: [] as Place[] };
  let [start, last] = [code.start(whole), whole];
  for (let count = 0; count < MOST; count++) {
    const sibling = siblingBefore(code, last);
    if (sibling === NONE && bodies.includes(code.type(code.parent(last)))) {
      last = code.parent(last);
      continue;
    }
    if (sibling === NONE) break;
    if (code.type(sibling) === ";" && belongs !== undefined) {
      last = sibling;
      continue;
    }
    const isComment = code.isComment(sibling);
    const isMark = !isComment && (marks.includes(code.type(sibling)) || belongs?.(code, sibling, whole) === true);
    const isApart = found.comments.length === 0 && isDocBlock(code, sibling);
    if (!isMark && !(isComment && isRightAbove(code, sibling, start, isApart ? 3 : 2))) break;
    found[isMark ? "marks" : "comments"].unshift(sibling);
    [start, last] = [code.start(sibling), sibling];
  }
  return { start, ...found };
}

export function siblingBefore(code: Code, node: Place): Place {
  const parent = code.parent(node);
  if (parent === NONE) return NONE;
  let at = node - 1;
  while (at > parent && code.parent(at) !== parent) at = code.parent(at);
  return at > parent ? at : NONE;
}

/**
 * A `/** … *\/` block documents the next component, even across a blank line. At the start of a file it documents the
 * file.
 */
function isDocBlock(code: Code, comment: Place): boolean {
  const said = code.said(comment);
  if (!said.startsWith("/**") || OF_ITS_OWN.test(said)) return false;
  return !/^(?:#![^\n]*)?[\s;]*(?:(["'])use strict\1[\s;]*)?$/.test(
    code.text.slice(0, Math.min(200, code.start(comment))),
  );
}

const OF_ITS_OWN = /@(?:typedef|callback|module|file|fileoverview|overview|license|packageDocumentation)\b/;

function isRightAbove(code: Code, comment: Place, start: number, lines: number): boolean {
  const { text } = code;
  // A `//!` or `/*!` comment documents the file or the enclosing module.
  if (/^\/[/*]!/.test(text.slice(code.start(comment), code.start(comment) + 3))) return false;
  const end = code.start(comment) + code.said(comment).trimEnd().length;
  const between = text.slice(end, start);
  if (between.length > 1000 || between.split("\n").length > lines) return false;
  const lineStart = text.lastIndexOf("\n", code.start(comment) - 1) + 1;
  return code.start(comment) - lineStart < 1000 && text.slice(lineStart, code.start(comment)).trim() === "";
}
