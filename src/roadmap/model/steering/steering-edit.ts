import {
  findMarkdownSection,
  hasSameWords,
  formatSafeListItem,
  readListItems,
  getOwnText,
  type MarkdownSection,
  listMarkdownSections,
  appendSectionBody,
  insertMarkdownSection,
  createHiddenSectionFault,
  hasOnlyPlaceholders,
  replaceOwnText,
} from "./markdown-section.ts";

const CODIFIED_HEADING = "Codified";

/**
 * Adds one line to a steering file. `Testing: no mocks` goes under an existing heading Testing, any other line under
 * Codified. A line that the file already contains changes nothing.
 */
export function addCodifiedLine(text: string, line: string): string {
  const { section, said } = findCodifyTarget(text, line);
  if (
    listMarkdownSections(text).some((each) =>
      readListItems(getOwnText(text, each)).some((item) => hasSameWords(item, said) || hasSameWords(item, line)),
    )
  )
    return text;
  if (section) return appendSectionBody(text, section, formatSafeListItem(said));
  const added = insertMarkdownSection(text, { title: CODIFIED_HEADING, level: 2, body: formatSafeListItem(said) });
  if (!findMarkdownSection(added, CODIFIED_HEADING)) throw createHiddenSectionFault(CODIFIED_HEADING);
  return added;
}

function findCodifyTarget(
  text: string,
  line: string,
): { readonly section: MarkdownSection | undefined; readonly said: string } {
  const [, name, rest] = /^\s*([^:\n]{2,60}):\s+(\S[\s\S]*)$/.exec(line) ?? [];
  const named = name === undefined ? undefined : findExactHeading(text, name);
  return named && rest !== undefined
    ? { section: named, said: rest }
    : { section: findMarkdownSection(text, CODIFIED_HEADING), said: line };
}

/** Exact words only, and not the title: many lines start with a word and a colon. */
function findExactHeading(text: string, name: string): MarkdownSection | undefined {
  return listMarkdownSections(text).find(({ heading }) => heading.level > 1 && hasSameWords(heading.text, name));
}

/** Fills empty sections and adds missing ones from another version. Text that a person wrote stays. */
export function fillEmptySections(text: string, other: string): string {
  const sections = listMarkdownSections(other);
  return sections.reduce((filled, section, i) => {
    const said = getOwnText(other, section);
    if (section.heading.level === 1 || hasOnlyPlaceholders(said)) return filled;
    const present = findMarkdownSection(filled, section.heading.text);
    if (present)
      return hasOnlyPlaceholders(getOwnText(filled, present)) ? replaceOwnText(filled, present, said) : filled;
    const above = listEnclosingSections(sections.slice(0, i), section);
    return addNestedSection(filled, section, above, said);
  }, text);
}

function listEnclosingSections(before: readonly MarkdownSection[], section: MarkdownSection): MarkdownSection[] {
  return before.filter(({ heading, from, to }) => heading.level > 1 && section.start >= from && section.to <= to);
}

function addNestedSection(
  text: string,
  { heading }: MarkdownSection,
  above: readonly MarkdownSection[],
  body: string,
): string {
  let made = text;
  let end: number | undefined;
  for (const outer of above) {
    if (!findMarkdownSection(made, outer.heading.text))
      made = insertMarkdownSection(made, { title: outer.heading.text, level: outer.heading.level }, end);
    end = findSectionEnd(made, outer.heading.text);
  }
  return insertMarkdownSection(made, { title: heading.text, level: heading.level, body }, end);
}

function findSectionEnd(text: string, title: string): number | undefined {
  const section = findMarkdownSection(text, title);
  return section && section.to < text.length ? section.to : undefined;
}

export type SectionEditMode = "adding" | "replacing";

export function writeTitleText(text: string, said: string, how: SectionEditMode): string {
  const [title] = listMarkdownSections(text);
  return title?.heading.level === 1 ? editSectionBody(text, title, said, how) : `${said.trim()}\n\n${text}`;
}

/** Creates a missing heading before `before`, otherwise at the end. */
export function writeSectionBody(
  text: string,
  heading: string,
  said: string,
  how: SectionEditMode,
  before?: string,
): string {
  const section = findMarkdownSection(text, heading);
  if (section) return editSectionBody(text, section, said, how);
  const next = before === undefined ? undefined : findMarkdownSection(text, before)?.start;
  const added = insertMarkdownSection(text, { title: heading, level: 2, body: said }, next);
  if (!findMarkdownSection(added, heading)) throw createHiddenSectionFault(heading);
  return added;
}

function editSectionBody(text: string, section: MarkdownSection, said: string, how: SectionEditMode): string {
  const present = getOwnText(text, section);
  if (hasSameWords(present, said)) return text;
  if (how === "replacing") return replaceOwnText(text, section, said);
  return hasTextBlock(present, said) ? text : appendSectionBody(text, section, said);
}

function hasTextBlock(present: string, said: string): boolean {
  const [all, wanted] = [present, said].map((text) => listFilledLines(text).map(collapseLineSpaces));
  const [first = ""] = wanted ?? [];
  return (all ?? []).some((line, i) => line === first && (wanted ?? []).every((each, k) => all?.[i + k] === each));
}

const listFilledLines = (text: string): string[] => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
const collapseLineSpaces = (line: string): string => line.trim().replace(/\s+/g, " ");

/** Whether a line that a person wrote is gone. Placeholders do not count. */
export function hasLostText(before: string, after: string): boolean {
  const left = listFilledLines(after).map(collapseLineSpaces);
  return listFilledLines(before).some((line) => {
    const at = left.indexOf(collapseLineSpaces(line));
    if (at >= 0) left.splice(at, 1);
    return at < 0 && !hasOnlyPlaceholders(line);
  });
}

export type SectionOrder = readonly (readonly [title: string, within?: string])[];

export function ensureOrderedSection(
  order: SectionOrder,
  text: string,
  title: string,
): [text: string, section: MarkdownSection] {
  const present = findMarkdownSection(text, title);
  if (present) return [text, present];
  const within = order.find(([name]) => name === title)?.[1];
  const [base, parent] = within === undefined ? [text, undefined] : ensureOrderedSection(order, text, within);
  const level = parent ? parent.heading.level + 1 : 2;
  const made = insertMarkdownSection(base, { title, level }, findSectionPosition(order, base, title, parent));
  const section = findMarkdownSection(made, title);
  if (section) return [made, section];
  throw createHiddenSectionFault(title);
}

/** Before the next known sibling, otherwise at the end of the parent. */
function findSectionPosition(
  order: SectionOrder,
  text: string,
  title: string,
  parent: MarkdownSection | undefined,
): number | undefined {
  const index = order.findIndex(([name]) => name === title);
  const within = order[index]?.[1];
  const later = order.slice(index + 1).filter(([, of]) => of === within);
  const isInside = ({ start, to }: MarkdownSection): boolean => !parent || (start >= parent.from && to <= parent.to);
  const next = later.map(([name]) => findMarkdownSection(text, name)).find((section) => section && isInside(section));
  return next?.start ?? (parent && parent.to < text.length ? parent.to : undefined);
}
