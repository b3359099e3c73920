import type { ProseLine } from "../document/prose.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";

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
