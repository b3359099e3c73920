export const MAX_SUMMARY_LENGTH = 200;
/** A cut after a sentence must keep this many characters. Otherwise the cut is after a word. */
const MIN_SENTENCE_LENGTH = 60;

const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/gu;
const JOINER_CHARACTERS = new Set(["\u200c", "\u200d"]);

export const formatOneLine = (text: string): string =>
  text
    .replace(/[\s\u0085]+/gu, " ")
    .replace(INVISIBLE_CHARACTERS, (mark) => (JOINER_CHARACTERS.has(mark) ? mark : ""))
    .replace(/ {2,}/g, " ")
    .trim();

/** Cuts after a sentence, else after a word, and inside a word only if it is too long. */
export function truncateSummary(text: string, most: number = MAX_SUMMARY_LENGTH): string {
  const line = formatOneLine(text);
  const signs = Array.from(line);
  if (signs.length <= most) return line;
  const fitting = signs.slice(0, most).join("");
  const sentence = findLastSentence(fitting, line.slice(fitting.length));
  if (sentence !== undefined && Array.from(sentence).length >= Math.min(MIN_SENTENCE_LENGTH, most / 2)) return sentence;
  return `${trimSplitWord(line, signs.slice(0, most - 1).join(""))}…`;
}

/** The text after a full stop decides whether a sentence ends: `v1.2` and `e.g. this` continue. */
function findLastSentence(fitting: string, rest: string): string | undefined {
  const last = [...fitting.matchAll(/[.!?]["')\]`]?(?= |$)|[。！？]/gu)]
    .map((match) => match.index + match[0].length)
    .filter((end) => end < fitting.length || /^(?: |$)/.test(rest))
    .findLast((end) => {
      const before = fitting.slice(Math.max(0, end - 12), end);
      return !ABBREVIATION_END.test(before) && !/^ \p{Ll}/u.test(fitting.slice(end));
    });
  return last === undefined ? undefined : fitting.slice(0, last).trimEnd();
}

const ABBREVIATION_END = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|ca|no|nr|fig|mr|mrs|dr|st|\p{L})\.$/iu;

/** Cuts a line without spaces between words if the script has them, and never within a grapheme. */
function trimSplitWord(line: string, cut: string): string {
  const findBoundary = (granularity: "word" | "grapheme"): number => {
    const parts = new Intl.Segmenter("und", { granularity }).segment(line.slice(0, cut.length + 64));
    return [...parts].findLast(({ index }) => index <= cut.length)?.index ?? 0;
  };
  const isBetween = /^[\s\p{P}]/u.test(line.slice(cut.length));
  let end = isBetween ? cut.length : cut.search(/\s\S*$/u);
  if (end <= 0) {
    const word = findBoundary("word");
    end = word >= cut.length / 2 ? word : findBoundary("grapheme");
  }
  return cut.slice(0, end).replace(/[\s\p{Pd}\p{Ps}\p{Pi},;:/]+$/u, "");
}

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
