import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import { type MarkdownHeading, parseHeadings, type ProseLine, parseProseLines } from "./prose.ts";

/** "2. **Out of Scope**:" and "Requirements (functional)" match "Out of scope" and "Requirements". */
export function isMatchingHeading(text: string, name: string): boolean {
  const bare = text
    .replace(/^[\d.)\s*_]+/, "")
    .toLowerCase()
    .replaceAll("’", "'");
  const wanted = name.toLowerCase();
  return bare.startsWith(wanted) && !/^[\p{L}\p{N}]/u.test(bare.slice(wanted.length));
}

export function findHeadingProblems(found: readonly MarkdownHeading[], required: readonly string[]): Problem[] {
  return required.flatMap((name): Problem[] => {
    const heading = found.find((candidate) => isMatchingHeading(candidate.text, name));
    if (!heading) return [{ problem: `The heading ${quote(name)} is missing.` }];
    return heading.hasText ? [] : [{ problem: `Nothing stands under ${quote(name)}.`, line: heading.line }];
  });
}

/** Each group runs from one start to the next. Both lists are sorted. */
export function groupLinesByStart(lines: readonly ProseLine[], starts: readonly number[]): ProseLine[][] {
  let next = 0;
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? Number.POSITIVE_INFINITY;
    const own: ProseLine[] = [];
    for (let line = lines[next]; line && line.number < end; line = lines[++next])
      if (line.number >= start) own.push(line);
    return own;
  });
}

export function excludeSections(lines: readonly ProseLine[], names: readonly string[]): readonly ProseLine[] {
  let level = Number.POSITIVE_INFINITY;
  const at = new Map(parseHeadings(lines).map((heading) => [heading.line, heading]));
  return lines.filter(({ number }) => {
    const heading = at.get(number);
    if (heading && heading.level <= level)
      level = names.some((name) => isMatchingHeading(heading.text, name)) ? heading.level : Number.POSITIVE_INFINITY;
    return level === Number.POSITIVE_INFINITY;
  });
}

export function findSectionLines(lines: readonly ProseLine[], name: string): readonly ProseLine[] | undefined {
  const place = locateSection(lines, name);
  return place && lines.filter(({ number }) => number > place.from && number < place.to);
}

/** Like `findSectionLines`, but returns the raw text with code and comments. */
export function extractSectionText(markdown: string, name: string): string | undefined {
  const place = locateSection(parseProseLines(markdown), name);
  return (
    place &&
    markdown
      .split(/\r\n|\r|\n/)
      .slice(place.from, place.to - 1)
      .join("\n")
      .trim()
  );
}

function locateSection(lines: readonly ProseLine[], name: string): { from: number; to: number } | undefined {
  const all = parseHeadings(lines);
  const start = findHeading(lines, name);
  if (!start) return undefined;
  const end = all.find((heading) => heading.line > start.line && heading.level <= start.level)?.line;
  return { from: start.line, to: end ?? Number.POSITIVE_INFINITY };
}

export function findHeading(lines: readonly ProseLine[], name: string): MarkdownHeading | undefined {
  return parseHeadings(lines).find((heading) => isMatchingHeading(heading.text, name));
}

/** Includes the heading. Returns all lines if the heading does not exist. */
export function selectSectionOrAll(lines: readonly ProseLine[], name: string): readonly ProseLine[] {
  const place = locateSection(lines, name);
  return place ? lines.filter(({ number }) => number >= place.from && number < place.to) : lines;
}
