import { type ParsedCode, type NodeIndex, NO_NODE } from "../syntax/parsed-code.ts";
import type { LanguageOutline } from "./language-outline.ts";

const LONGEST_DOC_TEXT = 2000;
const LONGEST_SIGNATURE = 300;
const COMMENT_DIRECTIVE =
  /^(?:eslint|oxlint|biome|prettier|oxfmt|tslint|jshint|jslint|global|istanbul|c8|v8|vite|webpack|@ts-|@jsx|noqa|type:|pylint|mypy|ruff|flake8|pragma|fmt:|isort|yapf|go:|\+build|nolint|clippy|rubocop|phpcs|phpstan|@?noinspection|frozen_string_literal|-\*-|!\/|region\b|endregion\b)/i;
const LICENCE_TEXT = /copyright|licen[sc]e|SPDX-|all rights reserved/i;

export function extractCommentText(comments: readonly string[], told = (words: string): string => words): string {
  const lines = comments.flatMap((comment) =>
    stripCommentDelimiters(comment.slice(0, LONGEST_DOC_TEXT * 3).trimEnd()).split(/\r?\n/),
  );
  const said = lines
    .map((line) => line.replace(/^\s*(?:\*+(?!\*)\s?|\/{2,}[!/]?\s?|#+[!:]?\s?|;+\s?|--\s?)?/, "").trim())
    .filter((line) => !COMMENT_DIRECTIVE.test(line) && !/^[-=*#/~_]{3,}$/.test(line));
  return truncateText(
    told(said.join("\n"))
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    LONGEST_DOC_TEXT,
  );
}

const stripCommentDelimiters = (comment: string): string =>
  comment.replace(/^\s*(?:\/\*[*!]?|<!--|=begin\b)/, "").replace(/(?:\*+\/|-->|=end\b)\s*$/, "");

export function extractDocstringText(said: string): string {
  const inner = /^[a-zA-Z]*("""|'''|"|')([\s\S]*?)\1?$/.exec(said)?.[2] ?? said;
  const lines = inner.slice(0, LONGEST_DOC_TEXT * 2).split(/\r?\n/);
  return truncateText(
    lines
      .map((line) => line.trim())
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    LONGEST_DOC_TEXT,
  );
}

const isLicenceText = (words: string): boolean => LICENCE_TEXT.test(words.slice(0, 600));

export function truncateText(text: string, most: number): string {
  if (text.length <= most) return text;
  const short = text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${short.trimEnd()}…`;
}

export function formatSignatureText(code: ParsedCode, from: NodeIndex, to: number, shared = ""): string {
  const end = Math.min(to, code.start(from) + LONGEST_SIGNATURE * 8);
  let [said, at] = [shared === "" ? "" : `${shared} `, code.start(from)];
  for (let node = from; node < code.count && code.start(node) < end; node++) {
    if (!code.isComment(node) || code.start(node) < at) continue;
    said += `${code.text.slice(at, code.start(node))} `;
    at = code.end(node);
  }
  said += code.text.slice(at, Math.max(at, end));
  const line = said
    .replace(/\s+/g, " ")
    .replace(/([([]|(?<=\w)<) (?=[^ ])/g, "$1")
    .replace(/,? ([)\]])/g, "$1");
  return truncateText(line.replace(/\s*[={:;,\\]?\s*$/, "").trim(), LONGEST_SIGNATURE);
}

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

function groupHeaderComments(code: ParsedCode) {
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
