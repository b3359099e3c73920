import type { PositionedYaml } from "./ground.ts";

export interface YamlSplice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export function applySplices(text: string, splices: readonly YamlSplice[]): string {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? "\n";
  let rest = text;
  const parts: string[] = [];
  for (const { from, to, text: fresh } of splices.toSorted((a, b) => b.from - a.from || b.to - a.to)) {
    parts.unshift(fresh.replace(/\r?\n/g, lineBreak), rest.slice(to));
    rest = rest.slice(0, from);
  }
  return [rest, ...parts].join("");
}

/** Keeps the comments inside a removed part by putting them above it. */
export function createCommentSplices(
  ground: PositionedYaml,
  offset: number,
  comments: readonly string[],
): YamlSplice[] {
  if (comments.length === 0) return [];
  const start = ground.lineStart(offset);
  const indent = /^ */.exec(ground.text.slice(start))?.[0] ?? "";
  return [{ from: start, to: start, text: comments.map((comment) => `${indent}${comment}\n`).join("") }];
}

export function createAppendSplice(ground: PositionedYaml, end: number, lines: string): YamlSplice {
  const isOpen = end > 0 && ground.text.charAt(end - 1) !== "\n";
  return { from: end, to: end, text: isOpen ? `\n${lines}` : lines };
}
