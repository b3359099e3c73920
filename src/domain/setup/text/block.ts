import {
  appendLines,
  removeInsertedLines,
  detectNewline,
  type InsertionSeparators,
  type InsertionResult,
  convertNewlines,
} from "./newline.ts";

const SETUP_BLOCK_BEGIN = "<!-- tenon:begin: tenon setup keeps this part up to date until you edit it -->";
const SETUP_BLOCK_END = "<!-- tenon:end -->";
const SETUP_BLOCK_MARKS = /(?<=^\uFEFF?)<!-- tenon:(begin|end)\b[^\r\n]*-->[ \t]*$/gm;

interface MarkedBlock {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function findMarkedBlock(text: string): MarkedBlock | undefined {
  const marks = [...text.matchAll(SETUP_BLOCK_MARKS)];
  const [begin, end] = marks;
  if (marks.length !== 2 || begin?.[1] !== "begin" || end?.[1] !== "end") return undefined;
  const inner = text.slice(begin.index + begin[0].length, end.index);
  const close = end.index + end[0].length;
  const newline = /^\r?\n/.exec(text.slice(close))?.[0] ?? "";
  return { text: convertNewlines(inner, "\n").trim(), start: begin.index, end: close + newline.length };
}

export const hasBlockMark = (text: string): boolean => text.search(SETUP_BLOCK_MARKS) >= 0;

const frameBlockText = (text: string): string => `${SETUP_BLOCK_BEGIN}\n${text.trim()}\n${SETUP_BLOCK_END}`;

export const addMarkedBlock = (text: string, block: string): InsertionResult =>
  appendLines(text, `${frameBlockText(block)}\n`);

export function replaceMarkedBlock(text: string, block: string): string {
  const found = findMarkedBlock(text);
  if (!found) return text;
  const newline = detectNewline(text);
  const end = text.slice(found.start, found.end).endsWith("\n") ? newline : "";
  return `${text.slice(0, found.start)}${convertNewlines(frameBlockText(block), newline)}${end}${text.slice(found.end)}`;
}

export function removeMarkedBlock(text: string, seam: InsertionSeparators | undefined): string {
  const found = findMarkedBlock(text);
  return found ? removeInsertedLines(text, found.start, found.end, seam) : text;
}
