import type { Problem } from "../gate/verdict.ts";
import type { ProseLine } from "./prose.ts";
import { type IdFamily, findIdMentions, findShortIds } from "./reference.ts";

export const ID_FAMILY_NOUNS: Readonly<Record<IdFamily, string>> = {
  requirement: "requirement",
  rule: "business rule",
  task: "task",
  adr: "decision",
};

/** Reports each id once. */
export function findUnknownIds(lines: readonly ProseLine[], family: IdFamily, known: Iterable<string>): Problem[] {
  const told = new Set(known);
  return findIdMentions(lines, family).flatMap(({ id, line }): Problem[] => {
    if (told.has(id)) return [];
    told.add(id);
    return [{ problem: `${id} refers to nothing: no ${ID_FAMILY_NOUNS[family]} has that id.`, line }];
  });
}

/** Suggests the padded spelling: `FR-7` → `FR-007`. */
export function findMisspelledIds(lines: readonly ProseLine[]): Problem[] {
  return findShortIds(lines).map(({ id, line }) => ({
    problem: `${id} is not an id: write ${padIdNumber(id)}.`,
    line,
  }));
}

const padIdNumber = (id: string): string => id.replace(/\d+$/, (digits) => digits.padStart(3, "0"));
