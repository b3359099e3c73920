import { formatOneLine } from "./one-line.ts";

const DOC_SECTION_START =
  /^(?:[@\\]\w|:\w[\w ]*:|\.\. \w+::|```|~~~|(?:args|arguments|parameters|params|returns?|yields?|raises|throws|examples?|usage|notes?|see also|attributes)\s*:?$)/i;
const DOC_TOOL_DIRECTIVE =
  /^(?:eslint|prettier|oxlint|biome|istanbul|c8 |v8 |@?ts-|tslint|noqa|pylint|mypy|type:|pragma|noinspection|nolint|go:|rubocop|frozen_string_literal|php(?:cs|stan)|clang-|cspell|#?(?:end)?region\b|vim:|-\*-|spdx-|copyright\b|\(c\)|©|licen[sc]ed |all rights reserved|(?:this file is |code )?auto-?generated|code generated|do not edit|<reference |[@\\](?:file|fileoverview|module|spec|package|namespace|internal|public|private)\b|ac: )/i;
const MARKDOWN_HEADING = /^#{1,6}\s/;
const SEPARATOR_LINE = /^[\s\p{P}\p{S}]*$/u;

/** The first paragraph of a doc comment as one plain line. Empty if it has no text for a reader. */
export function extractFirstParagraph(doc: string): string {
  const paragraph: string[] = [];
  for (const raw of stripDocMarkup(stripSpecTags(doc)).split(/\r?\n/)) {
    const line = raw.trim().replace(/^[@\\](?:brief|summary|desc(?:ription)?)\b\s*/i, "");
    const isNothing = SEPARATOR_LINE.test(line) || MARKDOWN_HEADING.test(line) || DOC_TOOL_DIRECTIVE.test(line);
    if (isNothing && paragraph.length === 0) continue;
    if (isNothing || DOC_SECTION_START.test(line)) break;
    paragraph.push(line.replace(/^(?:[-*+•]|\d+[.)])\s+/, ""));
  }
  const words = formatOneLine(paragraph.join(" "));
  return /\p{L}{2}/u.test(words) ? words : "";
}

/** `{@link Session}` becomes `Session`, `[a page](url)` becomes `a page`, `<c>x</c>` becomes `x`. */
function stripDocMarkup(doc: string): string {
  return doc
    .replace(/\{@\w+\s+([^{}\n]{1,200})\}/g, "$1")
    .replace(/<see\w*\s+(?:cref|langword|href)="([^"\n]{1,200})"\s*\/>/gi, "$1")
    .replace(/<\/?(?:summary|remarks|returns|value|para|p|br)\b[^<>\n]{0,200}>/gi, " ")
    .replace(/<\/?(?:code|c|strong|b|em|i|tt|a|see|span)\b[^<>\n]{0,200}>/gi, "")
    .replace(/!?\[([^[\]\n]{1,200})\](?:\([^()\n]{0,400}\)|\[[^[\]\n]{0,100}\])/g, "$1")
    .replace(/(?::\w+)+:`~?([^`\n]{1,200})`/g, "`$1`")
    .replace(/``([^`\n]{1,200})``/g, "`$1`")
    .replace(/\*\*([^*\n]{1,200})\*\*/g, "$1");
}

export const stripSpecTags = (doc: string): string =>
  doc
    .split(/\r?\n/)
    .map((line) => ({ line, rest: line.replace(/(?<=^|\s)@spec\s.*$|^\s*AC:\s.*$/, "").trimEnd() }))
    .flatMap(({ line, rest }) => (rest === "" && line.trim() !== "" ? [] : [rest]))
    .join("\n");
