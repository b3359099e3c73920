import type { Line } from "./prose.ts";

export interface Reference {
  readonly id: string;
  readonly line: number;
}

export type Family = "requirement" | "rule" | "task" | "adr";

/** Underscores around an id are emphasis. Inside a longer word they make a different word. */
const END = "(?!_*[A-Za-z0-9]|-)";
const IDS: Readonly<Record<Family, string>> = {
  requirement: `N?FR-\\d{3,5}${END}`,
  rule: `BR-\\d{3,5}${END}`,
  task: `TASK-\\d{3,5}${END}`,
  adr: `ADR-\\d{3,5}${END}`,
};
/** An id after a change name and a slash belongs to that change. After an id and a slash it is a second id. */
const START = "(?<![A-Za-z0-9-]_{0,2})(?<!(?<![A-Z]-\\d{3,5})/)";
/** Text allowed before an id on the line that defines it: a heading, list or table marker, and emphasis. */
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

/** In order. Skips ids of other changes, such as `other-change/ADR-001`. */
export function mentions(lines: readonly Line[], family: Family): Reference[] {
  return lines.flatMap((line) => line.text.match(MENTION[family])?.map((id) => ({ id, line: line.number })) ?? []);
}

/** An id is defined where a heading, list item, table row or paragraph begins with it. */
export function definitions(lines: readonly Line[], family: Family): Reference[] {
  return lines.flatMap((line) => {
    const id = DEFINITION[family].exec(line.text)?.[1];
    return id ? [{ id, line: line.number }] : [];
  });
}

const ELSEWHERE = /(?<![\w./-])[a-z0-9]+(?:-[a-z0-9]+)*\/ADR-\d{3,5}(?![\w-]|\.md)/g;
const NEAR_MISS = new RegExp(`${START}(?:N?FR|BR|TASK|ADR)-\\d{1,2}${END}`, "g");

/** `FR-001` and `FR-0001` have the same number, so one of them is a typo. */
export const numberedAs = (id: string): string => id.replace(/\d+$/, (digits) => String(Number(digits)));

export function elsewhere(lines: readonly Line[]): Reference[] {
  return lines.flatMap((line) => line.text.match(ELSEWHERE)?.map((id) => ({ id, line: line.number })) ?? []);
}

export function nearMisses(lines: readonly Line[]): Reference[] {
  return lines.flatMap((line) => line.text.match(NEAR_MISS)?.map((id) => ({ id, line: line.number })) ?? []);
}
