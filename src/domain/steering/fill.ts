import { hasOnlyPlaceholders } from "./blank.ts";
import {
  findMarkdownSection,
  getOwnText,
  type MarkdownSection,
  listMarkdownSections,
  replaceOwnText,
  insertMarkdownSection,
} from "./section.ts";

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
