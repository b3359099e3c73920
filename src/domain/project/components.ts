import { headings, type Line, proseLines } from "../document/prose.ts";
import { type Family, mentions } from "../document/reference.ts";
import { linesFrom, sectionNamed } from "../document/section.ts";

export interface Component {
  readonly name: string;
  readonly carries: readonly string[];
}

/** Reads the headings under "Components", or the list items if there are none. */
export function parseComponents(design: string): Component[] {
  const inside = sectionNamed(proseLines(design), "Components") ?? [];
  const below = headings(inside);
  const top = below.reduce((least, { level }) => Math.min(least, level), 6);
  const starts =
    below.length > 0
      ? below.filter(({ level }) => level === top).map(({ text, line }) => ({ name: text, line }))
      : listed(inside);
  const parts = linesFrom(
    inside,
    starts.map(({ line }) => line),
  );
  return starts.map(({ name }, i) => ({ name: bareName(name), carries: idsIn(parts[i] ?? []) }));
}

export const idsIn = (lines: readonly Line[]): string[] =>
  (["requirement", "rule"] as const satisfies readonly Family[]).flatMap((family) => [
    ...new Set(mentions(lines, family).map(({ id }) => id)),
  ]);

function listed(lines: readonly Line[]): { name: string; line: number }[] {
  return lines.flatMap(({ text, number }) => {
    const match = /^(?:[-*+]|\d{1,4}[.)])\s+(?:[*_`]{1,3}([^*_`]{1,120})[*_`]{1,3}|([^:(–—]{1,120}))/.exec(text);
    const name = (match?.[1] ?? match?.[2])?.trim();
    return name ? [{ name, line: number }] : [];
  });
}

const bareName = (name: string): string =>
  name
    .replace(/^[\d.)\s]+/, "")
    .replace(/[*_`]/g, "")
    .replace(/\s{0,4}[:(–—].*$/, "")
    .trim();
