import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import { type Heading, headings, type Line, proseLines } from "./prose.ts";

/** "2. **Out of Scope**:" and "Requirements (functional)" match "Out of scope" and "Requirements". */
export function isHeadingNamed(text: string, name: string): boolean {
  const bare = text
    .replace(/^[\d.)\s*_]+/, "")
    .toLowerCase()
    .replaceAll("’", "'");
  const wanted = name.toLowerCase();
  return bare.startsWith(wanted) && !/^[\p{L}\p{N}]/u.test(bare.slice(wanted.length));
}

export function headingProblems(found: readonly Heading[], required: readonly string[]): Problem[] {
  return required.flatMap((name): Problem[] => {
    const heading = found.find((candidate) => isHeadingNamed(candidate.text, name));
    if (!heading) return [{ problem: `The heading ${quote(name)} is missing.` }];
    return heading.hasText ? [] : [{ problem: `Nothing stands under ${quote(name)}.`, line: heading.line }];
  });
}

/** Each group runs from one start to the next. Both lists are sorted. */
export function linesFrom(lines: readonly Line[], starts: readonly number[]): Line[][] {
  let next = 0;
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? Number.POSITIVE_INFINITY;
    const own: Line[] = [];
    for (let line = lines[next]; line && line.number < end; line = lines[++next])
      if (line.number >= start) own.push(line);
    return own;
  });
}

export function linesOutside(lines: readonly Line[], names: readonly string[]): readonly Line[] {
  let level = Number.POSITIVE_INFINITY;
  const at = new Map(headings(lines).map((heading) => [heading.line, heading]));
  return lines.filter(({ number }) => {
    const heading = at.get(number);
    if (heading && heading.level <= level)
      level = names.some((name) => isHeadingNamed(heading.text, name)) ? heading.level : Number.POSITIVE_INFINITY;
    return level === Number.POSITIVE_INFINITY;
  });
}

export function sectionNamed(lines: readonly Line[], name: string): readonly Line[] | undefined {
  const place = placeOf(lines, name);
  return place && lines.filter(({ number }) => number > place.from && number < place.to);
}

/** Like `findSectionLines`, but returns the raw text with code and comments. */
export function sectionText(markdown: string, name: string): string | undefined {
  const place = placeOf(proseLines(markdown), name);
  return (
    place &&
    markdown
      .split(/\r\n|\r|\n/)
      .slice(place.from, place.to - 1)
      .join("\n")
      .trim()
  );
}

function placeOf(lines: readonly Line[], name: string): { from: number; to: number } | undefined {
  const all = headings(lines);
  const start = headingNamed(lines, name);
  if (!start) return undefined;
  const end = all.find((heading) => heading.line > start.line && heading.level <= start.level)?.line;
  return { from: start.line, to: end ?? Number.POSITIVE_INFINITY };
}

export function headingNamed(lines: readonly Line[], name: string): Heading | undefined {
  return headings(lines).find((heading) => isHeadingNamed(heading.text, name));
}

/** Includes the heading. Returns all lines if the heading does not exist. */
export function partNamed(lines: readonly Line[], name: string): readonly Line[] {
  const place = placeOf(lines, name);
  return place ? lines.filter(({ number }) => number >= place.from && number < place.to) : lines;
}
