import { type MarkdownHeading, parseProseLines } from "../document/prose.ts";
import { isEmptyListText, EMPTY_LIST_TEXT } from "../project/items.ts";
import {
  REQUIREMENT_LIST_HEADINGS,
  isListHeading,
  type RequirementListName,
  findListForHeading,
  listsAfter,
} from "../project/place.ts";
import { PRIORITIES, type Priority } from "./vocabulary.ts";
import { isEndOfBlock, liveItem, outline, type Outline, type OutlineItem } from "./outline.ts";

export function placeFor(id: string, priority: Priority = "must"): RequirementListName {
  return id.startsWith("BR-") ? "constraints" : id.startsWith("NFR-") ? "qualities" : priority;
}

export function placeOf({ headings }: Outline, item: OutlineItem): RequirementListName | undefined {
  const above = headings.filter((heading) => heading.line - 1 <= item.start).at(-1);
  return above && findListForHeading(above.text);
}

/** The item keeps its list mark, its emphasis and its location. */
export function replaceItem(markdown: string, id: string, text: string): string {
  const found = outline(markdown);
  const item = liveItem(found, id);
  if (!item) throw new RangeError(`There is no ${id} to replace.`);
  const indent = item.indent === "" && item.kind === "list" ? " ".repeat(markWidth(item.lead)) : item.indent;
  const [first = "", ...below] = text.split("\n");
  const written = [`${item.lead}${first}`, ...below.map((line) => (line === "" ? "" : `${indent}${line}`))];
  const kept = spliced(found.lines, item.start, item.end, written, markdown);
  // A paragraph cannot contain a blank line, nor a heading another heading. Then the item becomes a list item.
  const isWhole = liveItem(outline(kept), id)?.text === text;
  return isWhole ? kept : spliced(found.lines, item.start, item.end, render(id, text), markdown);
}

const markWidth = (lead: string): number => /^(?:[-*+]|\d{1,4}[.)])[ \t]+/.exec(lead)?.[0].length ?? 2;

export function dropItem(markdown: string, id: string, isRemoved = false): string {
  const found = outline(markdown);
  const { lines, items } = found;
  const item = items.find((each) => each.id === id && each.isRemoved === isRemoved);
  if (!item) return markdown;
  const list = isRemoved ? undefined : listAround(found, item);
  const isLast = list && !items.some((each) => each !== item && each.start > list.from && each.start < list.to);
  if (isLast && item.start < list.below) {
    return spliced(
      lines,
      item.start,
      item.end,
      noneIn(markdown, found, list) === undefined ? [EMPTY_LIST_TEXT] : [],
      markdown,
    );
  }
  const isBlank = (at: number): boolean => at >= 0 && at < lines.length && (lines[at] ?? "").trim() === "";
  let [from, to] = [item.start, item.end];
  // Blank lines that separated the item from its neighbours go with it.
  const above = afterText(lines, from) - 1;
  if (items.some(({ start, end }) => above >= start && above < end)) from = above + 1;
  else while (isBlank(to) && (from === 0 || isBlank(from - 1))) to++;
  const rest = [...lines.slice(0, from), ...lines.slice(to)].join("");
  if (!isLast) return rest;
  const emptied = outline(rest);
  const heading = emptied.headings.find(({ line }) => line - 1 === list.from);
  return heading && noneIn(rest, emptied, list) === undefined
    ? underHeading(emptied, heading, [EMPTY_LIST_TEXT], rest)
    : rest;
}

/** Adds the empty-list note to each list that is empty here but not in the other documents. */
export function withNone(markdown: string, others: readonly string[]): string {
  const found = outline(markdown);
  const filled = others.map((other) => outline(other).headings.filter(({ hasText }) => hasText));
  const emptied = found.headings.find(({ text, hasText }) => {
    const place = hasText ? undefined : findListForHeading(text);
    if (place === undefined || place === "removed") return false;
    return filled.every((headings) => headings.some((heading) => isListHeading(place, heading.text)));
  });
  if (!emptied) return markdown;
  const { below } = listUnder(found, emptied);
  const written = ["", EMPTY_LIST_TEXT, ...(below < found.lines.length ? [""] : [])];
  return withNone(spliced(found.lines, afterText(found.lines, below), below, written, markdown), others);
}

interface List {
  readonly from: number;
  readonly below: number;
  readonly to: number;
}

function listAround(found: Outline, item: OutlineItem): List | undefined {
  const lists = found.headings
    .filter(({ text }) => findListForHeading(text) !== undefined)
    .map((heading) => listUnder(found, heading));
  return lists.findLast(({ from, to }) => from < item.start && item.start < to);
}

function listUnder({ headings, lines }: Outline, { line, level }: MarkdownHeading): List {
  const later = headings.filter((other) => other.line > line);
  const lineOf = (heading: MarkdownHeading | undefined): number => (heading ? heading.line - 1 : lines.length);
  return { from: line - 1, below: lineOf(later[0]), to: lineOf(later.find((other) => other.level <= level)) };
}

function noneIn(markdown: string, { items }: Outline, { from, below }: List): number | undefined {
  const lines = parseProseLines(markdown);
  const found = lines.find(({ number, text }, i) => {
    const at = number - 1;
    if (at <= from || at >= below || !isEmptyListText(text)) return false;
    return isEndOfBlock(lines[i + 1]?.text ?? "") && !items.some(({ start, end }) => at >= start && at < end);
  });
  return found && found.number - 1;
}

/** Inserts by number, so that the order of arrival does not matter. */
export function insertItem(markdown: string, place: RequirementListName, id: string, text: string): string {
  const found = outline(markdown);
  const written = render(id, text);
  const mine = found.items.filter((item) => belongs(found, item, place, id));
  const before = mine.findLast((item) => isBefore(item.id, id));
  if (before) {
    const gap = before.kind === "list" ? [] : [""];
    return spliced(found.lines, before.end, before.end, [...gap, ...written], markdown);
  }
  const [first] = mine;
  if (first) return spliced(found.lines, first.start, first.start, written, markdown);
  return intoEmptyList(found, place, written, markdown);
}

function intoEmptyList(
  found: Outline,
  place: RequirementListName,
  written: readonly string[],
  markdown: string,
): string {
  const { lines, headings } = found;
  const heading = headings.find(({ text }) => isListHeading(place, text));
  if (heading) {
    const none = noneIn(markdown, found, listUnder(found, heading));
    return none === undefined
      ? underHeading(found, heading, written, markdown)
      : spliced(lines, none, none + 1, written, markdown);
  }
  const later = listsAfter(place);
  const next = headings.find(({ text }) => later.some((other) => isListHeading(other, text)));
  const isPriority = PRIORITIES.includes(place as Priority);
  const sibling = headings.find(({ text }) => isPriority && PRIORITIES.some((other) => isListHeading(other, text)));
  const title = `${"#".repeat(sibling?.level ?? 2)} ${REQUIREMENT_LIST_HEADINGS[place]}`;
  if (!next) {
    const end = afterText(lines, lines.length);
    return spliced(lines, end, end, [...(end === 0 ? [] : [""]), title, "", ...written], markdown);
  }
  const at = next.line - 1;
  const gap = at > 0 && (lines[at - 1] ?? "").trim() !== "" ? [""] : [];
  return spliced(lines, at, at, [...gap, title, "", ...written, ""], markdown);
}

function underHeading(found: Outline, heading: MarkdownHeading, written: readonly string[], markdown: string): string {
  const { lines } = found;
  const end = afterText(lines, listUnder(found, heading).below);
  const gap = (lines[end] ?? "").trim() === "" ? [] : [""];
  return spliced(lines, end, end, ["", ...written, ...gap], markdown);
}

function afterText(lines: readonly string[], end: number): number {
  let at = end;
  while (at > 0 && (lines[at - 1] ?? "").trim() === "") at--;
  return at;
}

/** In a document without such headings, items with the same id prefix form the list. */
function belongs(found: Outline, item: OutlineItem, place: RequirementListName, id: string): boolean {
  if (place === "removed") return item.isRemoved;
  if (item.isRemoved) return false;
  const isListed = found.headings.some(({ text }) => isListHeading(place, text));
  if (isListed) return placeOf(found, item) === place;
  const isSorted = found.headings.some(({ text }) => PRIORITIES.some((other) => isListHeading(other, text)));
  return familyOf(item.id) === familyOf(id) && (!isSorted || !id.startsWith("FR-"));
}

export const familyOf = (id: string): string => id.split("-")[0] ?? "";
export const numberOf = (id: string): number => Number(id.split("-")[1]);

const isBefore = (a: string, b: string): boolean =>
  familyOf(a) === familyOf(b) ? numberOf(a) < numberOf(b) : familyOf(a) < familyOf(b);

function render(id: string, text: string): string[] {
  const [first = "", ...below] = text.split("\n");
  return [`- **${id}**: ${first}`.trimEnd(), ...below.map((line) => (line === "" ? "" : `  ${line}`))];
}

/** Replaces lines and keeps the document's line ends. All other bytes stay the same. */
function spliced(
  lines: readonly string[],
  start: number,
  end: number,
  written: readonly string[],
  markdown: string,
): string {
  const newline = markdown.includes("\r\n") ? "\r\n" : "\n";
  const before = lines.slice(0, start);
  const last = before.at(-1);
  const isOpen = last !== undefined && written.length > 0 && !/[\r\n]$/.test(last);
  const after = lines.slice(end);
  // A document without a final line end keeps it so if only its last line is replaced.
  const keepsOpen = after.length === 0 && end > start && !/[\r\n]$/.test(lines[end - 1] ?? "");
  const text = written.map((line) => `${line}${newline}`).join("");
  const body = keepsOpen ? text.slice(0, text.length - newline.length) : text;
  return [...before, isOpen ? newline : "", body, ...after].join("");
}
