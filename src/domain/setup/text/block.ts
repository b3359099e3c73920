import { append, cut, newlineOf, type Seam, type Sewn, withNewline } from "./newline.ts";

const BEGIN = "<!-- tenon:begin: tenon setup keeps this part up to date until you edit it -->";
const END = "<!-- tenon:end -->";
const MARKS = /(?<=^\uFEFF?)<!-- tenon:(begin|end)\b[^\r\n]*-->[ \t]*$/gm;

interface Block {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function findBlock(text: string): Block | undefined {
  const marks = [...text.matchAll(MARKS)];
  const [begin, end] = marks;
  if (marks.length !== 2 || begin?.[1] !== "begin" || end?.[1] !== "end") return undefined;
  const inner = text.slice(begin.index + begin[0].length, end.index);
  const close = end.index + end[0].length;
  const newline = /^\r?\n/.exec(text.slice(close))?.[0] ?? "";
  return { text: withNewline(inner, "\n").trim(), start: begin.index, end: close + newline.length };
}

export const hasMark = (text: string): boolean => text.search(MARKS) >= 0;

const framed = (text: string): string => `${BEGIN}\n${text.trim()}\n${END}`;

export const addBlock = (text: string, block: string): Sewn => append(text, `${framed(block)}\n`);

export function replaceBlock(text: string, block: string): string {
  const found = findBlock(text);
  if (!found) return text;
  const newline = newlineOf(text);
  const end = text.slice(found.start, found.end).endsWith("\n") ? newline : "";
  return `${text.slice(0, found.start)}${withNewline(framed(block), newline)}${end}${text.slice(found.end)}`;
}

export function removeBlock(text: string, seam: Seam | undefined): string {
  const found = findBlock(text);
  return found ? cut(text, found.start, found.end, seam) : text;
}
