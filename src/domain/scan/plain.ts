import { lineCounter } from "./lines.ts";
import type { Look, Span } from "./look.ts";

/** Patterns for comments and strings. The first match at a position wins, so neither hides inside the other. */
const DOUBLE = String.raw`"(?:[^"\\\n]|\\.)*(?:"|$|(?=\n))`;
// A single apostrophe occurs in prose and in lifetimes. The length limit keeps long lines fast.
const SINGLE = String.raw`'(?:[^'\\\n]|\\.){0,200}'`;
const LONG = String.raw`"""[\s\S]*?(?:"""|$(?![\s\S]))|'''[\s\S]*?(?:'''|$(?![\s\S]))`;
const BLOCK = String.raw`\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))`;
const SLASHES = String.raw`\/\/[^\n]*`;
const HASH = String.raw`(?<![^\s;])#[^\n]*`;
const MARKUP = String.raw`<!--[\s\S]*?(?:-->|$(?![\s\S]))`;

const STYLES = {
  slashes: [LONG, DOUBLE, SINGLE, BLOCK, SLASHES],
  hash: [LONG, DOUBLE, SINGLE, HASH],
  dashes: [DOUBLE, SINGLE, BLOCK, String.raw`--[^\n]*`],
  semicolon: [DOUBLE, String.raw`;[^\n]*`],
  percent: [DOUBLE, SINGLE, String.raw`%[^\n]*`],
  markup: [MARKUP, DOUBLE, SINGLE, BLOCK, String.raw`(?<![:\w])\/\/[^\n]*`],
} as const;
type Style = keyof typeof STYLES;

const ENDINGS: Readonly<Record<Style, string>> = {
  slashes:
    "ts mts cts tsx js mjs cjs jsx go rs java c h cc cpp cxx hpp cs kt kts swift dart scala groovy gradle zig php proto prisma sol css scss less jsonnet v fs fsx",
  hash: "py pyi rb sh bash zsh fish pl pm r ex exs jl nim tf hcl ps1 cr gd",
  dashes: "sql lua hs elm adb ads vhd",
  semicolon: "clj cljs cljc lisp el scm rkt asm s",
  percent: "erl hrl",
  markup: "vue svelte astro html htm",
};

const STYLE_OF: ReadonlyMap<string, Style> = new Map(
  (Object.keys(STYLES) as Style[]).flatMap((style) => ENDINGS[style].split(" ").map((end) => [end, style] as const)),
);

const styleOf = (path: string): Style | undefined => STYLE_OF.get(endingOf(path));
const endingOf = (path: string): string => /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";

export const isCode = (path: string): boolean => styleOf(path) !== undefined;

/**
 * Finds comments without a grammar, as far as that can separate them from strings. Returns nothing for documents, data
 * and settings.
 */
export function plainLook(path: string, text: string): Look | undefined {
  const style = styleOf(path);
  if (style === undefined) return undefined;
  const tokens = [...text.matchAll(new RegExp(STYLES[style].join("|"), "gm"))];
  const lineOf = lineCounter(text);
  const comments = tokens.flatMap((token): Span[] => {
    const [said, start] = [token[0], token.index];
    if (/^["']/.test(said)) return [];
    const end = start + said.length;
    return [{ start, end, line: lineOf(start), lastLine: lineOf(Math.max(start, end - 1)), text: said }];
  });
  return { language: endingOf(path), by: "comments", isWhole: true, comments, calls: [], definitions: [], signs: [] };
}
