import type { ProseLine } from "./prose.ts";

export interface IdReference {
  readonly id: string;
  readonly line: number;
}

export type IdFamily = "requirement" | "rule" | "task" | "adr";

/** Underscores around an id are emphasis. Inside a longer word they make a different word. */
const ID_END_PATTERN = "(?!_*[A-Za-z0-9]|-)";
const ID_PATTERNS: Readonly<Record<IdFamily, string>> = {
  requirement: `N?FR-\\d{3,5}${ID_END_PATTERN}`,
  rule: `BR-\\d{3,5}${ID_END_PATTERN}`,
  task: `TASK-\\d{3,5}${ID_END_PATTERN}`,
  adr: `ADR-\\d{3,5}${ID_END_PATTERN}`,
};
/** An id after a change name and a slash belongs to that change. After an id and a slash it is a second id. */
const ID_START_PATTERN = "(?<![A-Za-z0-9-]_{0,2})(?<!(?<![A-Z]-\\d{3,5})/)";
/** Text allowed before an id on the line that defines it: a heading, list or table marker, and emphasis. */
const DEFINITION_LEAD_PATTERN =
  "^\\s{0,12}(?:#{1,6}\\s{1,4}|(?:[-*+]|\\d{1,4}[.)])\\s{1,4}(?:\\[[ xX]\\]\\s{1,4})?|\\|\\s{0,4})?(?:\\*{1,3}|_{1,3}|`)?";

const buildFamilyPatterns = (pattern: (id: string) => RegExp): Readonly<Record<IdFamily, RegExp>> => ({
  requirement: pattern(ID_PATTERNS.requirement),
  rule: pattern(ID_PATTERNS.rule),
  task: pattern(ID_PATTERNS.task),
  adr: pattern(ID_PATTERNS.adr),
});
const MENTION_PATTERNS = buildFamilyPatterns((id) => new RegExp(`${ID_START_PATTERN}${id}`, "g"));
const DEFINITION_PATTERNS = buildFamilyPatterns((id) => new RegExp(`${DEFINITION_LEAD_PATTERN}(${id})`));

/** In order. Skips ids of other changes, such as `other-change/ADR-001`. */
export function findIdMentions(lines: readonly ProseLine[], family: IdFamily): IdReference[] {
  return lines.flatMap(
    (line) => line.text.match(MENTION_PATTERNS[family])?.map((id) => ({ id, line: line.number })) ?? [],
  );
}

/** An id is defined where a heading, list item, table row or paragraph begins with it. */
export function findIdDefinitions(lines: readonly ProseLine[], family: IdFamily): IdReference[] {
  return lines.flatMap((line) => {
    const id = DEFINITION_PATTERNS[family].exec(line.text)?.[1];
    return id ? [{ id, line: line.number }] : [];
  });
}

const FOREIGN_DECISION_PATTERN = /(?<![\w./-])[a-z0-9]+(?:-[a-z0-9]+)*\/ADR-\d{3,5}(?![\w-]|\.md)/g;
const SHORT_ID_PATTERN = new RegExp(`${ID_START_PATTERN}(?:N?FR|BR|TASK|ADR)-\\d{1,2}${ID_END_PATTERN}`, "g");

/** `FR-001` and `FR-0001` have the same number, so one of them is a typo. */
export const normalizeIdNumber = (id: string): string => id.replace(/\d+$/, (digits) => String(Number(digits)));

export function findForeignDecisions(lines: readonly ProseLine[]): IdReference[] {
  return lines.flatMap(
    (line) => line.text.match(FOREIGN_DECISION_PATTERN)?.map((id) => ({ id, line: line.number })) ?? [],
  );
}

export function findShortIds(lines: readonly ProseLine[]): IdReference[] {
  return lines.flatMap((line) => line.text.match(SHORT_ID_PATTERN)?.map((id) => ({ id, line: line.number })) ?? []);
}
