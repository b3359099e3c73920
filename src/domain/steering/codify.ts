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
} from "./section.ts";

import { createHiddenSectionFault } from "./unreadable.ts";

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
