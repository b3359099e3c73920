import type { MarkdownHeading, ProseLine } from "#kernel/model/document/markdown-document.ts";
import { parseHeadings, isMatchingHeading } from "#kernel/model/document/markdown-document.ts";
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

export function checkRequiredSections(lines: readonly ProseLine[], wanted: readonly RequiredSection[]) {
  const all = parseHeadings(lines).filter(({ level }) => level <= 2);
  const last = lines.at(-1)?.number ?? 1;
  const found = new Map<string, FoundSection>();
  const problems: Problem[] = [];
  const notes: Problem[] = [];
  for (const [i, heading] of all.entries()) {
    const { text, line, level } = heading;
    if (level < 2) continue;
    // The longest match wins: "Specifications Traceability" also starts with "Specifications".
    const matches = wanted.map(({ name }) => name).filter((name) => isMatchingHeading(text, name));
    const [name] = matches.toSorted((a, b) => b.length - a.length);
    const end = all[i + 1]?.line ?? last + 1;
    if (name === undefined) {
      const problem = `Unknown section ${quote(text, 60)}: move its text to a known section.`;
      notes.push({ problem, line });
    } else if (found.has(name)) problems.push({ problem: `There are two sections "## ${name}": join them.`, line });
    else found.set(name, { heading, lines: lines.filter(({ number }) => number > line && number < end) });
  }
  const getLine = (name: string | undefined): number | undefined => found.get(name ?? "")?.heading.line;
  for (const [i, { name, isOptional }] of wanted.entries()) {
    if (isOptional || found.has(name)) continue;
    const next = wanted.slice(i + 1).find((later) => !later.isFree && found.has(later.name))?.name;
    const place = next === undefined ? "at the end" : `before "## ${next}"`;
    problems.push({ problem: `The section "## ${name}" is missing: write it ${place}.`, line: getLine(next) ?? last });
  }
  for (const { name } of wanted) {
    const heading = found.get(name)?.heading;
    if (heading && !heading.hasText)
      problems.push({
        problem: `There is no text under "## ${name}": write what there is to say.`,
        line: heading.line,
      });
  }
  const names = wanted.filter(({ name, isFree }) => !isFree && found.has(name)).map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    const line = getLine(name) ?? 0;
    const before = names.slice(0, i).find((earlier) => (getLine(earlier) ?? 0) > line);
    if (before !== undefined)
      problems.push({ problem: `"## ${name}" comes before "## ${before}": move it after that section.`, line });
  }
  return { found, problems, notes };
}

export const findTemplateBlank = (text: string): string | undefined => /\{\{[^{}\n]{1,200}\}\}/.exec(text)?.[0];

/** Reports template blanks and marks such as TODO. Skips inline code, except for blanks in a table. */
export function findOpenPlaceholders(lines: readonly ProseLine[]): Problem[] {
  return lines.flatMap(({ text, number: line }): Problem[] => {
    const said = text.replace(/`[^`]*`/g, "");
    const blank = findTemplateBlank(said) ?? (text.includes("|") ? findTemplateBlank(text) : undefined);
    if (blank !== undefined) return [{ problem: `${quote(blank, 60)} is not filled in yet.`, line }];
    const later = /\b(?:TBD|FIXME|TODO|NEEDS[ _-]CLARIFICATION)\b/.exec(said)?.[0];
    return later === undefined ? [] : [{ problem: `It says ${quote(later)}: decide it, or make it a Non-Goal.`, line }];
  });
}
