import { createLineCounter, type CodeScan, type ScanSpan } from "./code-scan.ts";

/** Patterns for comments and strings. The first match at a position wins, so neither hides inside the other. */
const DOUBLE_QUOTED = String.raw`"(?:[^"\\\n]|\\.)*(?:"|$|(?=\n))`;
// A single apostrophe occurs in prose and in lifetimes. The length limit keeps long lines fast.
const SINGLE_QUOTED = String.raw`'(?:[^'\\\n]|\\.){0,200}'`;
const TRIPLE_QUOTED = String.raw`"""[\s\S]*?(?:"""|$(?![\s\S]))|'''[\s\S]*?(?:'''|$(?![\s\S]))`;
const BLOCK_COMMENT = String.raw`\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))`;
const SLASH_COMMENT = String.raw`\/\/[^\n]*`;
const HASH_COMMENT = String.raw`(?<![^\s;])#[^\n]*`;
const MARKUP_COMMENT = String.raw`<!--[\s\S]*?(?:-->|$(?![\s\S]))`;

const COMMENT_STYLES = {
  slashes: [TRIPLE_QUOTED, DOUBLE_QUOTED, SINGLE_QUOTED, BLOCK_COMMENT, SLASH_COMMENT],
  hash: [TRIPLE_QUOTED, DOUBLE_QUOTED, SINGLE_QUOTED, HASH_COMMENT],
  dashes: [DOUBLE_QUOTED, SINGLE_QUOTED, BLOCK_COMMENT, String.raw`--[^\n]*`],
  semicolon: [DOUBLE_QUOTED, String.raw`;[^\n]*`],
  percent: [DOUBLE_QUOTED, SINGLE_QUOTED, String.raw`%[^\n]*`],
  markup: [MARKUP_COMMENT, DOUBLE_QUOTED, SINGLE_QUOTED, BLOCK_COMMENT, String.raw`(?<![:\w])\/\/[^\n]*`],
} as const;
type CommentStyle = keyof typeof COMMENT_STYLES;

const COMMENT_STYLE_EXTENSIONS: Readonly<Record<CommentStyle, string>> = {
  slashes:
    "ts mts cts tsx js mjs cjs jsx go rs java c h cc cpp cxx hpp cs kt kts swift dart scala groovy gradle zig php proto prisma sol css scss less jsonnet v fs fsx",
  hash: "py pyi rb sh bash zsh fish pl pm r ex exs jl nim tf hcl ps1 cr gd",
  dashes: "sql lua hs elm adb ads vhd",
  semicolon: "clj cljs cljc lisp el scm rkt asm s",
  percent: "erl hrl",
  markup: "vue svelte astro html htm",
};

const STYLE_BY_EXTENSION: ReadonlyMap<string, CommentStyle> = new Map(
  (Object.keys(COMMENT_STYLES) as CommentStyle[]).flatMap((style) =>
    COMMENT_STYLE_EXTENSIONS[style].split(" ").map((end) => [end, style] as const),
  ),
);

const findCommentStyle = (path: string): CommentStyle | undefined => STYLE_BY_EXTENSION.get(getCodeExtension(path));
const getCodeExtension = (path: string): string => /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";

export const isCodeFile = (path: string): boolean => findCommentStyle(path) !== undefined;

/** As far as possible without a grammar. Returns nothing for documents, data and settings. */
export function scanPlainComments(path: string, text: string): CodeScan | undefined {
  const style = findCommentStyle(path);
  if (style === undefined) return undefined;
  const tokens = [...text.matchAll(new RegExp(COMMENT_STYLES[style].join("|"), "gm"))];
  const lineOf = createLineCounter(text);
  const comments = tokens.flatMap((token): ScanSpan[] => {
    const [said, start] = [token[0], token.index];
    if (/^["']/.test(said)) return [];
    const end = start + said.length;
    return [{ start, end, line: lineOf(start), lastLine: lineOf(Math.max(start, end - 1)), text: said }];
  });
  return {
    language: getCodeExtension(path),
    by: "comments",
    isWhole: true,
    comments,
    calls: [],
    definitions: [],
    signs: [],
  };
}
