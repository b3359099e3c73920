import {
  findSection,
  sameWords,
  asItem,
  itemsIn,
  ownText,
  type Section,
  sectionsIn,
  withAdded,
  withSection,
} from "./section.ts";

import { unreadable } from "./unreadable.ts";

const CODIFIED = "Codified";

/**
 * Adds one line to a steering file. `Testing: no mocks` goes under an existing heading Testing, any other line under
 * Codified. A line that the file already contains changes nothing.
 */
export function codify(text: string, line: string): string {
  const { section, said } = placeFor(text, line);
  if (
    sectionsIn(text).some((each) =>
      itemsIn(ownText(text, each)).some((item) => sameWords(item, said) || sameWords(item, line)),
    )
  )
    return text;
  if (section) return withAdded(text, section, asItem(said));
  const added = withSection(text, { title: CODIFIED, level: 2, body: asItem(said) });
  if (!findSection(added, CODIFIED)) throw unreadable(CODIFIED);
  return added;
}

function placeFor(text: string, line: string): { readonly section: Section | undefined; readonly said: string } {
  const [, name, rest] = /^\s*([^:\n]{2,60}):\s+(\S[\s\S]*)$/.exec(line) ?? [];
  const named = name === undefined ? undefined : headed(text, name);
  return named && rest !== undefined
    ? { section: named, said: rest }
    : { section: findSection(text, CODIFIED), said: line };
}

/** Exact words only, and not the title: many lines start with a word and a colon. */
function headed(text: string, name: string): Section | undefined {
  return sectionsIn(text).find(({ heading }) => heading.level > 1 && sameWords(heading.text, name));
}
