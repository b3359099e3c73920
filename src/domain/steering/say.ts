import { hasOnlyPlaceholders } from "./blank.ts";
import {
  findMarkdownSection,
  getOwnText,
  hasSameWords,
  type MarkdownSection,
  listMarkdownSections,
  appendSectionBody,
  replaceOwnText,
  insertMarkdownSection,
} from "./section.ts";
import { createHiddenSectionFault } from "./unreadable.ts";

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
