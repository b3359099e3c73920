import type { ProseLine } from "../document/prose.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";

const BLANK = /\{\{[^{}\n]{1,200}\}\}/;
const LATER = /\b(?:TBD|FIXME|TODO|NEEDS[ _-]CLARIFICATION)\b/;

export const blankIn = (text: string): string | undefined => BLANK.exec(text)?.[0];

/**
 * Reports template blanks and marks such as TODO. Inline code only mentions them and is skipped, except for blanks in a
 * table.
 */
export function openProblems(lines: readonly ProseLine[]): Problem[] {
  return lines.flatMap(({ text, number: line }): Problem[] => {
    const said = text.replace(/`[^`]*`/g, "");
    const blank = blankIn(said) ?? (text.includes("|") ? blankIn(text) : undefined);
    if (blank !== undefined) return [{ problem: `${quote(blank, 60)} is still to be filled in.`, line }];
    const later = LATER.exec(said)?.[0];
    return later === undefined ? [] : [{ problem: `It says ${quote(later)}: decide it, or make it a Non-Goal.`, line }];
  });
}
