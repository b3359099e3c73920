import { type MarkdownHeading, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import {
  isEmptyListText,
  EMPTY_LIST_TEXT,
  REQUIREMENT_LIST_HEADINGS,
  isListHeading,
  type RequirementListName,
  findListForHeading,
  listsAfter,
} from "../project/requirement-lists.ts";
import { REQUIREMENT_PRIORITIES, type RequirementPriority } from "./delta-vocabulary.ts";
import { isBlockEnd, findLiveItem, outlineSpecItems, type SpecOutline, type OutlineItem } from "./item-outline.ts";
import { findIdDefinitions } from "#kernel/model/document/id-references.ts";

export const chooseItemList = (id: string, priority: RequirementPriority = "must"): RequirementListName =>
  id.startsWith("BR-") ? "constraints" : id.startsWith("NFR-") ? "qualities" : priority;

export function findItemList({ headings }: SpecOutline, item: OutlineItem): RequirementListName | undefined {
  const above = headings.filter((heading) => heading.line - 1 <= item.start).at(-1);
  return above && findListForHeading(above.text);
}

/** The item keeps its list mark, its emphasis and its location. */
export function replaceSpecItem(markdown: string, id: string, text: string): string {
  const found = outlineSpecItems(markdown);
  const item = findLiveItem(found, id);
  if (!item) throw new RangeError(`${id} does not exist, so it cannot be replaced.`);
  const mark = /^(?:[-*+]|\d{1,4}[.)])[ \t]+/.exec(item.lead)?.[0] ?? "- ";
  const indent = item.indent === "" && item.kind === "list" ? " ".repeat(mark.length) : item.indent;
  const [first = "", ...below] = text.split("\n");
  const written = [`${item.lead}${first}`, ...below.map((line) => (line === "" ? "" : `${indent}${line}`))];
  const kept = spliceDocumentLines(found.lines, item.start, item.end, written, markdown);
  // A paragraph cannot contain a blank line, nor a heading another heading. Then the item becomes a list item.
  const isWhole = findLiveItem(outlineSpecItems(kept), id)?.text === text;
  return isWhole
    ? kept
    : spliceDocumentLines(found.lines, item.start, item.end, formatSpecListItem(id, text), markdown);
}

export function removeSpecItem(markdown: string, id: string, isRemoved = false): string {
  const found = outlineSpecItems(markdown);
  const { lines, items } = found;
  const item = items.find((each) => each.id === id && each.isRemoved === isRemoved);
  if (!item) return markdown;
  const lists = found.headings
    .filter(({ text }) => findListForHeading(text) !== undefined)
    .map((heading) => findListRange(found, heading));
  const list = isRemoved ? undefined : lists.findLast(({ from, to }) => from < item.start && item.start < to);
  const isLast = list && !items.some((each) => each !== item && each.start > list.from && each.start < list.to);
  if (isLast && item.start < list.below) {
    const note = findEmptyNote(markdown, found, list) === undefined ? [EMPTY_LIST_TEXT] : [];
    return spliceDocumentLines(lines, item.start, item.end, note, markdown);
  }
  const isBlank = (at: number): boolean => at >= 0 && at < lines.length && (lines[at] ?? "").trim() === "";
  let [from, to] = [item.start, item.end];
  // Blank lines that separated the item from its neighbours go with it.
  const above = findTextEnd(lines, from) - 1;
  if (items.some(({ start, end }) => above >= start && above < end)) from = above + 1;
  else while (isBlank(to) && (from === 0 || isBlank(from - 1))) to++;
  const rest = [...lines.slice(0, from), ...lines.slice(to)].join("");
  if (!isLast) return rest;
  const emptied = outlineSpecItems(rest);
  const heading = emptied.headings.find(({ line }) => line - 1 === list.from);
  return heading && findEmptyNote(rest, emptied, list) === undefined
    ? appendUnderHeading(emptied, heading, [EMPTY_LIST_TEXT], rest)
    : rest;
}

/** Adds the empty-list note to each list that is empty here but not in the other documents. */
export function addEmptyNotes(markdown: string, others: readonly string[]): string {
  const found = outlineSpecItems(markdown);
  const filled = others.map((other) => outlineSpecItems(other).headings.filter(({ hasText }) => hasText));
  const emptied = found.headings.find(({ text, hasText }) => {
    const place = hasText ? undefined : findListForHeading(text);
    if (place === undefined || place === "removed") return false;
    return filled.every((headings) => headings.some((heading) => isListHeading(place, heading.text)));
  });
  if (!emptied) return markdown;
  const { below } = findListRange(found, emptied);
  const written = ["", EMPTY_LIST_TEXT, ...(below < found.lines.length ? [""] : [])];
  return addEmptyNotes(
    spliceDocumentLines(found.lines, findTextEnd(found.lines, below), below, written, markdown),
    others,
  );
}

function findListRange({ headings, lines }: SpecOutline, { line, level }: MarkdownHeading) {
  const later = headings.filter((other) => other.line > line);
  const lineOf = (heading: MarkdownHeading | undefined): number => (heading ? heading.line - 1 : lines.length);
  return { from: line - 1, below: lineOf(later[0]), to: lineOf(later.find((other) => other.level <= level)) };
}

function findEmptyNote(markdown: string, { items }: SpecOutline, { from, below }: ReturnType<typeof findListRange>) {
  const lines = parseProseLines(markdown);
  const found = lines.find(({ number, text }, i) => {
    const at = number - 1;
    if (at <= from || at >= below || !isEmptyListText(text)) return false;
    return isBlockEnd(lines[i + 1]?.text ?? "") && !items.some(({ start, end }) => at >= start && at < end);
  });
  return found && found.number - 1;
}

/** Inserts by number, so that the order of arrival does not matter. */
export function insertSpecItem(markdown: string, place: RequirementListName, id: string, text: string): string {
  const found = outlineSpecItems(markdown);
  const written = formatSpecListItem(id, text);
  const mine = found.items.filter((item) => isItemInList(found, item, place, id));
  const before = mine.findLast((item) => isLowerId(item.id, id));
  if (before) {
    const gap = before.kind === "list" ? [] : [""];
    return spliceDocumentLines(found.lines, before.end, before.end, [...gap, ...written], markdown);
  }
  const [first] = mine;
  if (first) return spliceDocumentLines(found.lines, first.start, first.start, written, markdown);
  return insertFirstItem(found, place, written, markdown);
}

function insertFirstItem(found: SpecOutline, place: RequirementListName, written: readonly string[], markdown: string) {
  const { lines, headings } = found;
  const heading = headings.find(({ text }) => isListHeading(place, text));
  if (heading) {
    const none = findEmptyNote(markdown, found, findListRange(found, heading));
    return none === undefined
      ? appendUnderHeading(found, heading, written, markdown)
      : spliceDocumentLines(lines, none, none + 1, written, markdown);
  }
  const later = listsAfter(place);
  const next = headings.find(({ text }) => later.some((other) => isListHeading(other, text)));
  const isPriority = REQUIREMENT_PRIORITIES.includes(place as RequirementPriority);
  const sibling = headings.find(
    ({ text }) => isPriority && REQUIREMENT_PRIORITIES.some((other) => isListHeading(other, text)),
  );
  const title = `${"#".repeat(sibling?.level ?? 2)} ${REQUIREMENT_LIST_HEADINGS[place]}`;
  if (!next) {
    const end = findTextEnd(lines, lines.length);
    return spliceDocumentLines(lines, end, end, [...(end === 0 ? [] : [""]), title, "", ...written], markdown);
  }
  const at = next.line - 1;
  const gap = at > 0 && (lines[at - 1] ?? "").trim() !== "" ? [""] : [];
  return spliceDocumentLines(lines, at, at, [...gap, title, "", ...written, ""], markdown);
}

function appendUnderHeading(
  found: SpecOutline,
  heading: MarkdownHeading,
  written: readonly string[],
  markdown: string,
): string {
  const { lines } = found;
  const end = findTextEnd(lines, findListRange(found, heading).below);
  const gap = (lines[end] ?? "").trim() === "" ? [] : [""];
  return spliceDocumentLines(lines, end, end, ["", ...written, ...gap], markdown);
}

function findTextEnd(lines: readonly string[], end: number): number {
  let at = end;
  while (at > 0 && (lines[at - 1] ?? "").trim() === "") at--;
  return at;
}

/** In a document without such headings, items with the same id prefix form the list. */
function isItemInList(found: SpecOutline, item: OutlineItem, place: RequirementListName, id: string): boolean {
  if (place === "removed") return item.isRemoved;
  if (item.isRemoved) return false;
  if (found.headings.some(({ text }) => isListHeading(place, text))) return findItemList(found, item) === place;
  const isSorted = found.headings.some(({ text }) =>
    REQUIREMENT_PRIORITIES.some((other) => isListHeading(other, text)),
  );
  return getIdFamily(item.id) === getIdFamily(id) && (!isSorted || !id.startsWith("FR-"));
}

export const getIdFamily = (id: string): string => id.split("-")[0] ?? "";
export const parseIdNumber = (id: string): number => Number(id.split("-")[1]);

const isLowerId = (a: string, b: string): boolean =>
  getIdFamily(a) === getIdFamily(b) ? parseIdNumber(a) < parseIdNumber(b) : getIdFamily(a) < getIdFamily(b);

export function formatSpecListItem(id: string, text: string): string[] {
  const [first = "", ...below] = text.split("\n");
  return [`- **${id}**: ${first}`.trimEnd(), ...below.map((line) => (line === "" ? "" : `  ${line}`))];
}

/** Replaces lines and keeps the document's line ends. All other bytes stay the same. */
function spliceDocumentLines(
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

/** An open comment, an open code block or a heading in the text would change the items around it. */
export function isContainedInItem(id: string, text: string): boolean {
  const item = formatSpecListItem(id, text);
  const around = ["## Above", "", ...item, "- **FR-99998**: Next.", "", "## Below", ""].join("\n");
  const { items, headings } = outlineSpecItems(around);
  const lines = parseProseLines(around);
  const defined = [...findIdDefinitions(lines, "requirement"), ...findIdDefinitions(lines, "rule")];
  return (
    headings.length === 2 &&
    defined.length === 2 &&
    items.length === 2 &&
    items[0]?.text === text.trimEnd() &&
    items[1]?.text === "Next."
  );
}

export function isDisturbingOtherItems(before: string, after: string, own: readonly (string | undefined)[]): boolean {
  const others = (text: string): string => {
    const found = outlineSpecItems(text);
    const rest = found.items.filter(({ id }) => !own.includes(id));
    return JSON.stringify(rest.map((item) => [item.id, item.text, item.isRemoved, findItemList(found, item)]));
  };
  return others(before) !== others(after);
}
