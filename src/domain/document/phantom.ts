import type { Problem } from "../gate/verdict.ts";
import type { Line } from "./prose.ts";
import { type Family, mentions, nearMisses } from "./reference.ts";

/** What each family is called. */
export const NOUNS: Readonly<Record<Family, string>> = {
  requirement: "requirement",
  rule: "business rule",
  task: "task",
  adr: "decision",
};

/** Ids of a family that refer to nothing, each told once. */
export function unknownIds(lines: readonly Line[], family: Family, known: Iterable<string>): Problem[] {
  const told = new Set(known);
  return mentions(lines, family).flatMap(({ id, line }): Problem[] => {
    if (told.has(id)) return [];
    told.add(id);
    return [{ problem: `${id} refers to nothing: no ${NOUNS[family]} has that id.`, line }];
  });
}

/** What is meant for an id and has too few digits: `FR-7` → `FR-007`. */
export function misspelledIds(lines: readonly Line[]): Problem[] {
  return nearMisses(lines).map(({ id, line }) => ({ problem: `${id} is not an id: write ${padded(id)}.`, line }));
}

const padded = (id: string): string => id.replace(/\d+$/, (digits) => digits.padStart(3, "0"));
