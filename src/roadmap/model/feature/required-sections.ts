import {
  type MarkdownHeading,
  type ProseLine,
  parseHeadings,
  isMatchingHeading,
} from "#kernel/model/document/markdown-document.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { quote } from "#kernel/model/text-format.ts";

/** A `## Name` heading of a document. Optional sections have a fixed position too, unless `isFree`. */
export interface RequiredSection {
  readonly name: string;
  readonly isOptional?: true;
  readonly isFree?: true;
}

export interface FoundSection {
  readonly heading: MarkdownHeading;
  readonly lines: readonly ProseLine[];
}

export interface SectionCheck {
  readonly found: ReadonlyMap<string, FoundSection>;
  readonly problems: readonly Problem[];
  readonly notes: readonly Problem[];
}

export function checkRequiredSections(lines: readonly ProseLine[], wanted: readonly RequiredSection[]): SectionCheck {
  const all = parseHeadings(lines).filter(({ level }) => level <= 2);
  const last = lines.at(-1)?.number ?? 1;
  const found = new Map<string, FoundSection>();
  const problems: Problem[] = [];
  const notes: Problem[] = [];
  for (const [i, heading] of all.entries()) {
    if (heading.level < 2) continue;
    const name = matchSectionName(heading, wanted);
    const [from, to] = [heading.line, all[i + 1]?.line ?? last + 1];
    if (name === undefined) notes.push(noteUnexpectedSection(heading));
    else if (found.has(name)) problems.push(reportDuplicateSection(name, heading));
    else found.set(name, { heading, lines: lines.filter(({ number }) => number > from && number < to) });
  }
  return {
    found,
    problems: [
      ...problems,
      ...findMissingSections(found, wanted, last),
      ...findEmptySections(found, wanted),
      ...findMisplacedSections(found, wanted),
    ],
    notes,
  };
}

/** The longest match wins: "Specifications Traceability" also starts with "Specifications". */
const matchSectionName = ({ text }: MarkdownHeading, wanted: readonly RequiredSection[]): string | undefined =>
  wanted
    .map(({ name }) => name)
    .filter((name) => isMatchingHeading(text, name))
    .toSorted((a, b) => b.length - a.length)[0];

const noteUnexpectedSection = ({ text, line }: MarkdownHeading): Problem => ({
  problem: `Nobody asks for a section ${quote(text, 60)}: see whether it belongs to another.`,
  line,
});

const reportDuplicateSection = (name: string, { line }: MarkdownHeading): Problem => ({
  problem: `There are two sections "## ${name}": join them.`,
  line,
});

function findMissingSections(
  found: ReadonlyMap<string, FoundSection>,
  wanted: readonly RequiredSection[],
  last: number,
): Problem[] {
  return wanted.flatMap(({ name, isOptional }, i): Problem[] => {
    if (isOptional || found.has(name)) return [];
    const next = wanted.slice(i + 1).find((later) => !later.isFree && found.has(later.name))?.name;
    const place = next === undefined ? "at the end" : `before "## ${next}"`;
    const line = (next === undefined ? undefined : found.get(next)?.heading.line) ?? last;
    return [{ problem: `The section "## ${name}" is missing: write it ${place}.`, line }];
  });
}

const findEmptySections = (found: ReadonlyMap<string, FoundSection>, wanted: readonly RequiredSection[]): Problem[] =>
  wanted.flatMap(({ name }): Problem[] => {
    const heading = found.get(name)?.heading;
    if (!heading || heading.hasText) return [];
    return [{ problem: `Nothing stands under "## ${name}": write what there is to say.`, line: heading.line }];
  });

function findMisplacedSections(
  found: ReadonlyMap<string, FoundSection>,
  wanted: readonly RequiredSection[],
): Problem[] {
  const names = wanted.filter(({ name, isFree }) => !isFree && found.has(name)).map(({ name }) => name);
  return names.flatMap((name, i): Problem[] => {
    const line = found.get(name)?.heading.line ?? 0;
    const before = names.slice(0, i).find((earlier) => (found.get(earlier)?.heading.line ?? 0) > line);
    return before === undefined
      ? []
      : [{ problem: `"## ${name}" stands before "## ${before}": move it behind it.`, line }];
  });
}

const TEMPLATE_BLANK_PATTERN = /\{\{[^{}\n]{1,200}\}\}/;
const UNDECIDED_MARK_PATTERN = /\b(?:TBD|FIXME|TODO|NEEDS[ _-]CLARIFICATION)\b/;

export const findTemplateBlank = (text: string): string | undefined => TEMPLATE_BLANK_PATTERN.exec(text)?.[0];

/**
 * Reports template blanks and marks such as TODO. Inline code only mentions them and is skipped, except for blanks in a
 * table.
 */
export function findOpenPlaceholders(lines: readonly ProseLine[]): Problem[] {
  return lines.flatMap(({ text, number: line }): Problem[] => {
    const said = text.replace(/`[^`]*`/g, "");
    const blank = findTemplateBlank(said) ?? (text.includes("|") ? findTemplateBlank(text) : undefined);
    if (blank !== undefined) return [{ problem: `${quote(blank, 60)} is still to be filled in.`, line }];
    const later = UNDECIDED_MARK_PATTERN.exec(said)?.[0];
    return later === undefined ? [] : [{ problem: `It says ${quote(later)}: decide it, or make it a Non-Goal.`, line }];
  });
}
