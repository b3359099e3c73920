import type { Ground } from "./ground.ts";

/** A piece of the text that another takes the place of. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** All of them at once, with line breaks as the text has them. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? "\n";
  let rest = text;
  const parts: string[] = [];
  for (const { from, to, text: fresh } of splices.toSorted((a, b) => b.from - a.from || b.to - a.to)) {
    parts.unshift(fresh.replace(/\r?\n/g, lineBreak), rest.slice(to));
    rest = rest.slice(0, from);
  }
  return [rest, ...parts].join("");
}

/** Comments that stood inside of what goes stand above it from now on. */
export function carried(ground: Ground, offset: number, comments: readonly string[]): Splice[] {
  if (comments.length === 0) return [];
  const start = ground.lineStart(offset);
  const indent = /^ */.exec(ground.text.slice(start))?.[0] ?? "";
  return [{ from: start, to: start, text: comments.map((comment) => `${indent}${comment}\n`).join("") }];
}

/** Lines behind those that end there. */
export function appended(ground: Ground, end: number, lines: string): Splice {
  const isOpen = end > 0 && ground.text.charAt(end - 1) !== "\n";
  return { from: end, to: end, text: isOpen ? `\n${lines}` : lines };
}
