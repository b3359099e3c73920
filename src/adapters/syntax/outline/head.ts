import { type Code, NONE, type Place } from "../code.ts";
import type { LanguageOutline } from "./language.ts";
import { docstringWords, isLicence, wordsOf } from "./words.ts";

const MOST = 100;

/** The doc of a file: its docstring, or the first header comment that belongs to no component and is not a licence. */
export function docOfFile(
  code: Code,
  { heads = [], doc }: LanguageOutline,
  docstrings: ReadonlySet<Place>,
  firstWhole: Place | undefined,
): string {
  for (const string of docstrings) {
    if (code.parent(code.parent(string)) === 0) return docstringWords(code.said(string));
    break;
  }
  const { groups, next } = commentsAtHead(code);
  // The comment directly above a component belongs to it, unless it is tagged as the file's.
  const isOfComponent = next !== NONE && next === firstWhole && !heads.includes(code.type(next));
  const last = groups.at(-1);
  const ofComponent = isOfComponent && last !== undefined && isRightAbove(code, last, next) ? last : undefined;
  for (const group of groups) {
    const said = group.map((each) => code.said(each));
    if (
      group === ofComponent &&
      !said.some((each) => /@(?:file|fileoverview|module|packageDocumentation)\b|^\/\/!|^\/\*!/.test(each))
    )
      continue;
    const words = wordsOf(said, doc);
    if (words !== "" && !isLicence(words)) return words;
  }
  return "";
}

function commentsAtHead(code: Code): { readonly groups: readonly (readonly Place[])[]; readonly next: Place } {
  const groups: Place[][] = [];
  let last = NONE;
  let count = 0;
  for (let at = 1; at < code.count && count < MOST; at = code.next(at), count++) {
    if (/^(?:hash_bang_line|shebang|php_tag)$/.test(code.type(at))) continue;
    if (!code.isComment(at)) return { groups, next: at };
    const group = groups.at(-1);
    const isAlone = isBlock(code, at) || isBlock(code, last);
    if (group === undefined || isAlone || !isRightAbove(code, group, at)) groups.push([at]);
    else group.push(at);
    last = at;
  }
  return { groups, next: last === NONE ? NONE : code.next(last) };
}

const isBlock = (code: Code, comment: Place): boolean =>
  comment !== NONE && code.text.startsWith("/*", code.start(comment));

function isRightAbove(code: Code, group: readonly Place[], next: Place): boolean {
  const last = group.at(-1) ?? NONE;
  const end = code.start(last) + code.said(last).trimEnd().length;
  const between = code.text.slice(end, code.start(next));
  return between.trim() === "" && between.split("\n").length <= 2;
}
