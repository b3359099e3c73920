import type { Problem } from "../gate/verdict.ts";
import type { Line } from "./prose.ts";
import { type Family, mentions, nearMisses } from "./reference.ts";

export const NOUNS: Readonly<Record<Family, string>> = {
  requirement: "requirement",
  rule: "business rule",
  task: "task",
  adr: "decision",
};

/** Reports each id once. */
export function unknownIds(lines: readonly Line[], family: Family, known: Iterable<string>): Problem[] {
  const told = new Set(known);
  return mentions(lines, family).flatMap(({ id, line }): Problem[] => {
    if (told.has(id)) return [];
    told.add(id);
    return [{ problem: `${id} refers to nothing: no ${NOUNS[family]} has that id.`, line }];
  });
}

/** Suggests the padded spelling: `FR-7` → `FR-007`. */
export function misspelledIds(lines: readonly Line[]): Problem[] {
  return nearMisses(lines).map(({ id, line }) => ({ problem: `${id} is not an id: write ${padded(id)}.`, line }));
}

const padded = (id: string): string => id.replace(/\d+$/, (digits) => digits.padStart(3, "0"));
