import { type ParsedCode, NO_NODE, type NodeIndex } from "../code.ts";
import type { LanguageOutline } from "./language.ts";

export interface ComponentLead {
  readonly start: number;
  readonly comments: readonly NodeIndex[];
  readonly marks: readonly NodeIndex[];
}

/** A file may have a hundred thousand comments above one function. */
const MOST_LEADING_SIBLINGS = 400;

export function findComponentLead(
  code: ParsedCode,
  whole: NodeIndex,
  { marks = [], bodies = [], belongs }: LanguageOutline,
): ComponentLead {
  const found = { comments: [] as NodeIndex[], marks: [] as NodeIndex[] };
  let [start, last] = [code.start(whole), whole];
  for (let count = 0; count < MOST_LEADING_SIBLINGS; count++) {
    const sibling = findPreviousSibling(code, last);
    if (sibling === NO_NODE && bodies.includes(code.type(code.parent(last)))) {
      last = code.parent(last);
      continue;
    }
    if (sibling === NO_NODE) break;
    if (code.type(sibling) === ";" && belongs !== undefined) {
      last = sibling;
      continue;
    }
    const isComment = code.isComment(sibling);
    const isMark = !isComment && (marks.includes(code.type(sibling)) || belongs?.(code, sibling, whole) === true);
    const isApart = found.comments.length === 0 && isComponentDocBlock(code, sibling);
    if (!isMark && !(isComment && isCommentDirectlyAbove(code, sibling, start, isApart ? 3 : 2))) break;
    found[isMark ? "marks" : "comments"].unshift(sibling);
    [start, last] = [code.start(sibling), sibling];
  }
  return { start, ...found };
}

export function findPreviousSibling(code: ParsedCode, node: NodeIndex): NodeIndex {
  const parent = code.parent(node);
  if (parent === NO_NODE) return NO_NODE;
  let at = node - 1;
  while (at > parent && code.parent(at) !== parent) at = code.parent(at);
  return at > parent ? at : NO_NODE;
}

/**
 * A `/** … *\/` block documents the next component, even across a blank line. At the start of a file it documents the
 * file.
 */
function isComponentDocBlock(code: ParsedCode, comment: NodeIndex): boolean {
  const said = code.said(comment);
  if (!said.startsWith("/**") || SELF_CONTAINED_TAG.test(said)) return false;
  return !/^(?:#![^\n]*)?[\s;]*(?:(["'])use strict\1[\s;]*)?$/.test(
    code.text.slice(0, Math.min(200, code.start(comment))),
  );
}

const SELF_CONTAINED_TAG = /@(?:typedef|callback|module|file|fileoverview|overview|license|packageDocumentation)\b/;

function isCommentDirectlyAbove(code: ParsedCode, comment: NodeIndex, start: number, lines: number): boolean {
  const { text } = code;
  // A `//!` or `/*!` comment documents the file or the enclosing module.
  if (/^\/[/*]!/.test(text.slice(code.start(comment), code.start(comment) + 3))) return false;
  const end = code.start(comment) + code.said(comment).trimEnd().length;
  const between = text.slice(end, start);
  if (between.length > 1000 || between.split("\n").length > lines) return false;
  const lineStart = text.lastIndexOf("\n", code.start(comment) - 1) + 1;
  return code.start(comment) - lineStart < 1000 && text.slice(lineStart, code.start(comment)).trim() === "";
}
