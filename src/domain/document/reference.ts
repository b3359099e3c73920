import type { Line } from "./prose.ts";

/** An id such as FR-001 in a document, and where it stands. */
export interface Reference {
  readonly id: string;
  readonly line: number;
}

export type Family = "requirement" | "rule" | "task" | "adr";

/** Underscores around an id are emphasis; within a longer word, they make it another one. */
const END = "(?!_*[A-Za-z0-9]|-)";
const IDS: Readonly<Record<Family, string>> = {
  requirement: `N?FR-\\d{3,5}${END}`,
  rule: `BR-\\d{3,5}${END}`,
  task: `TASK-\\d{3,5}${END}`,
  adr: `ADR-\\d{3,5}${END}`,
};
/** Not behind the name of a change and a slash; behind another id and a slash it is just the next one. */
const START = "(?<![A-Za-z0-9-]_{0,2})(?<!(?<![A-Z]-\\d{3,5})/)";
/** What may stand before an id on the line that defines it: a heading's, an item's or a row's mark, and emphasis. */
const LEAD =
  "^\\s{0,12}(?:#{1,6}\\s{1,4}|(?:[-*+]|\\d{1,4}[.)])\\s{1,4}(?:\\[[ xX]\\]\\s{1,4})?|\\|\\s{0,4})?(?:\\*{1,3}|_{1,3}|`)?";

const each = (pattern: (id: string) => RegExp): Readonly<Record<Family, RegExp>> => ({
  requirement: pattern(IDS.requirement),
  rule: pattern(IDS.rule),
  task: pattern(IDS.task),
  adr: pattern(IDS.adr),
});
const MENTION = each((id) => new RegExp(`${START}${id}`, "g"));
const DEFINITION = each((id) => new RegExp(`${LEAD}(${id})`));

/** Every id of a family that the lines mention, in order. One that belongs elsewhere, `other-change/ADR-001`, is not. */
export function mentions(lines: readonly Line[], family: Family): Reference[] {
  return lines.flatMap((line) => line.text.match(MENTION[family])?.map((id) => ({ id, line: line.number })) ?? []);
}

/** The ids that a line of their own gives a meaning: a heading, a list item, a table row or a paragraph begins with them. */
export function definitions(lines: readonly Line[], family: Family): Reference[] {
  return lines.flatMap((line) => {
    const id = DEFINITION[family].exec(line.text)?.[1];
    return id ? [{ id, line: line.number }] : [];
  });
}

const ELSEWHERE = /(?<![\w./-])[a-z0-9]+(?:-[a-z0-9]+)*\/ADR-\d{3,5}(?![\w-]|\.md)/g;
const NEAR_MISS = new RegExp(`${START}(?:N?FR|BR|TASK|ADR)-\\d{1,2}${END}`, "g");

/** `FR-001` and `FR-0001` are two spellings of one number, and one of them is a slip. */
export const numberedAs = (id: string): string => id.replace(/\d+$/, (digits) => String(Number(digits)));

/** Decisions of other changes: `other-change/ADR-001`. */
export function elsewhere(lines: readonly Line[]): Reference[] {
  return lines.flatMap((line) => line.text.match(ELSEWHERE)?.map((id) => ({ id, line: line.number })) ?? []);
}

/** What is meant for an id but has too few digits to be one. */
export function nearMisses(lines: readonly Line[]): Reference[] {
  return lines.flatMap((line) => line.text.match(NEAR_MISS)?.map((id) => ({ id, line: line.number })) ?? []);
}
