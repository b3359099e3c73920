import { type ParsedCode, NO_NODE, type NodeIndex } from "../code.ts";
import type { LanguageOutline } from "./language.ts";
import { extractDocstringText, isLicenceText, extractCommentText } from "./words.ts";

const MOST_HEADER_COMMENTS = 100;

/** The doc of a file: its docstring, or the first header comment that belongs to no component and is not a licence. */
export function extractFileDoc(
  code: ParsedCode,
  { heads = [], doc }: LanguageOutline,
  docstrings: ReadonlySet<NodeIndex>,
  firstWhole: NodeIndex | undefined,
): string {
  for (const string of docstrings) {
    if (code.parent(code.parent(string)) === 0) return extractDocstringText(code.said(string));
    break;
  }
  const { groups, next } = groupHeaderComments(code);
  // The comment directly above a component belongs to it, unless it is tagged as the file's.
  const isOfComponent = next !== NO_NODE && next === firstWhole && !heads.includes(code.type(next));
  const last = groups.at(-1);
  const ofComponent = isOfComponent && last !== undefined && isGroupDirectlyAbove(code, last, next) ? last : undefined;
  for (const group of groups) {
    const said = group.map((each) => code.said(each));
    if (
      group === ofComponent &&
      !said.some((each) => /@(?:file|fileoverview|module|packageDocumentation)\b|^\/\/!|^\/\*!/.test(each))
    )
      continue;
    const words = extractCommentText(said, doc);
    if (words !== "" && !isLicenceText(words)) return words;
  }
  return "";
}

function groupHeaderComments(code: ParsedCode): {
  readonly groups: readonly (readonly NodeIndex[])[];
  readonly next: NodeIndex;
} {
  const groups: NodeIndex[][] = [];
  let last = NO_NODE;
  let count = 0;
  for (let at = 1; at < code.count && count < MOST_HEADER_COMMENTS; at = code.next(at), count++) {
    if (/^(?:hash_bang_line|shebang|php_tag)$/.test(code.type(at))) continue;
    if (!code.isComment(at)) return { groups, next: at };
    const group = groups.at(-1);
    const isAlone = isBlockComment(code, at) || isBlockComment(code, last);
    if (group === undefined || isAlone || !isGroupDirectlyAbove(code, group, at)) groups.push([at]);
    else group.push(at);
    last = at;
  }
  return { groups, next: last === NO_NODE ? NO_NODE : code.next(last) };
}

const isBlockComment = (code: ParsedCode, comment: NodeIndex): boolean =>
  comment !== NO_NODE && code.text.startsWith("/*", code.start(comment));

function isGroupDirectlyAbove(code: ParsedCode, group: readonly NodeIndex[], next: NodeIndex): boolean {
  const last = group.at(-1) ?? NO_NODE;
  const end = code.start(last) + code.said(last).trimEnd().length;
  const between = code.text.slice(end, code.start(next));
  return between.trim() === "" && between.split("\n").length <= 2;
}
