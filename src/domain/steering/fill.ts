import { isBlank } from "./blank.ts";
import { findSection, ownText, type Section, sectionsIn, withOwnText, withSection } from "./section.ts";

/** Fills empty sections and adds missing ones from another version. Text that a person wrote stays. */
export function filledFrom(text: string, other: string): string {
  const sections = sectionsIn(other);
  return sections.reduce((filled, section, i) => {
    const said = ownText(other, section);
    if (section.heading.level === 1 || isBlank(said)) return filled;
    const present = findSection(filled, section.heading.text);
    if (present) return isBlank(ownText(filled, present)) ? withOwnText(filled, present, said) : filled;
    const above = aboveOf(sections.slice(0, i), section);
    return added(filled, section, above, said);
  }, text);
}

function aboveOf(before: readonly Section[], section: Section): Section[] {
  return before.filter(({ heading, from, to }) => heading.level > 1 && section.start >= from && section.to <= to);
}

function added(text: string, { heading }: Section, above: readonly Section[], body: string): string {
  let made = text;
  let end: number | undefined;
  for (const outer of above) {
    if (!findSection(made, outer.heading.text))
      made = withSection(made, { title: outer.heading.text, level: outer.heading.level }, end);
    end = endOf(made, outer.heading.text);
  }
  return withSection(made, { title: heading.text, level: heading.level, body }, end);
}

function endOf(text: string, title: string): number | undefined {
  const section = findSection(text, title);
  return section && section.to < text.length ? section.to : undefined;
}
