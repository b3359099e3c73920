import { parseHeadings, type ProseLine, parseProseLines } from "../document/prose.ts";
import { type IdFamily, findIdMentions } from "../document/reference.ts";
import { groupLinesByStart, findSectionLines } from "../document/section.ts";

export interface ProjectComponent {
  readonly name: string;
  readonly carries: readonly string[];
}

/** Reads the headings under "Components", or the list items if there are none. */
export function parseDesignComponents(design: string): ProjectComponent[] {
  const inside = findSectionLines(parseProseLines(design), "Components") ?? [];
  const below = parseHeadings(inside);
  const top = below.reduce((least, { level }) => Math.min(least, level), 6);
  const starts =
    below.length > 0
      ? below.filter(({ level }) => level === top).map(({ text, line }) => ({ name: text, line }))
      : parseListedComponents(inside);
  const parts = groupLinesByStart(
    inside,
    starts.map(({ line }) => line),
  );
  return starts.map(({ name }, i) => ({
    name: cleanComponentName(name),
    carries: listRequirementAndRuleIds(parts[i] ?? []),
  }));
}

export const listRequirementAndRuleIds = (lines: readonly ProseLine[]): string[] =>
  (["requirement", "rule"] as const satisfies readonly IdFamily[]).flatMap((family) => [
    ...new Set(findIdMentions(lines, family).map(({ id }) => id)),
  ]);

function parseListedComponents(lines: readonly ProseLine[]): { name: string; line: number }[] {
  return lines.flatMap(({ text, number }) => {
    const match = /^(?:[-*+]|\d{1,4}[.)])\s+(?:[*_`]{1,3}([^*_`]{1,120})[*_`]{1,3}|([^:(–—]{1,120}))/.exec(text);
    const name = (match?.[1] ?? match?.[2])?.trim();
    return name ? [{ name, line: number }] : [];
  });
}

const cleanComponentName = (name: string): string =>
  name
    .replace(/^[\d.)\s]+/, "")
    .replace(/[*_`]/g, "")
    .replace(/\s{0,4}[:(–—].*$/, "")
    .trim();
