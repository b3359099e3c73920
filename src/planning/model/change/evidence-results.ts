import type { ProseLine } from "#kernel/model/document/markdown-document.ts";

/** A failure that the work was meant to show or to replace: seen before it, without it, or wanted. */
const EXPECTED_FAILURE =
  /\b(?:before|without|first|red|expected(?:ly)?|as (?:it should|wanted|intended|planned|designed)|seen to fail|reproduce[sd]?|reproducing|baseline|stash(?:ed)?|revert(?:ed)?|unfixed|old code|(?:on|at|from) (?:`?main`?|`?master`?|the base|`?HEAD`?)|already|pre-?existing|previously|originally)\b/i;
const VERDICT_FAIL = /^[\s*_>#|-]*(?:result|verdict|outcome)[\s*_]*[:|][\s*_]*fail/i;
const EXIT_CODE = /\bexit(?:s|ed)?(?: with)?(?: code| status)?[ :=]+(\d+)\b/gi;
/** `2 failed` and `3 tests fail`. The number in `pass 2 fail 0` counts passed tests. */
const FAILED_COUNT =
  /(?<!pass(?:es|ed|ing)?:? ?)\b(\d+)(?: new| of \d+)?(?: tests?| cases?)? fail(?:s|ed|ing|ures?)?\b/gi;
const LATER_SUCCESS =
  /\b(?:then|now|after(?:wards)?|with (?:it|the (?:fix|change)))\b.{0,80}?\b(?:passe[sd]|pass|passing|green|succeeds?)\b/i;
/** "TASK-001: skipped, a later change does it" and "TASK-001: not run". A reason may follow the latter. */
const UNCHECKED_TASK =
  /\bTASK-\d{3,5}[\s*_`:–—-]{1,8}(?:(?:skipped|deferred|postponed|untested|unverified|blocked)\b|not (?:yet )?(?:run|tested|verified|checked)[\s.;*_`]*$)/i;
const UNFINISHED_TASK =
  /\bTASK-\d{3,5}\b.{0,120}?\b(?:still (?:fails?|failing|broken|red|open)|(?:does not|doesn't) work|not (?:done|finished|implemented|started)|to ?do\b)/i;

/**
 * The gate runs the tests itself: this only holds an honest agent to its report. Of several results the last counts.
 */
export function findReportedFailures(lines: readonly ProseLine[]): ProseLine[] {
  const lastSuccess = new Map(
    lines.flatMap(({ text }, i) => (reportsSuccess(text) ? listCommands(text).map((each) => [each, i] as const) : [])),
  );
  return lines.filter(
    ({ text }, i) =>
      reportsFailure(text) && !listCommands(text).some((command) => (lastSuccess.get(command) ?? -1) > i),
  );
}

const listCommands = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command);
/** Quoted text of the product, such as "2 failed logins", is not a result. */
const readNumbers = (text: string, pattern: RegExp): number[] =>
  [...text.replace(/["“][^"”]*["”]/g, " ").matchAll(pattern)].map(([, number]) => Number(number));

const reportsSuccess = (text: string): boolean => readNumbers(text, EXIT_CODE).at(-1) === 0 || /\bpass/i.test(text);

/** In a row of a table, later columns hold later results. */
const selectLastResult = (line: string): string =>
  line
    .split("|")
    .slice(1)
    .findLast((cell) => /\b(?:pass|fail|exit|red|green)/i.test(cell)) ?? line;

function reportsFailure(line: string): boolean {
  const text = /^\s*\|/.test(line) ? selectLastResult(line) : line;
  if (VERDICT_FAIL.test(text)) return true;
  const exits = readNumbers(text, EXIT_CODE);
  if (exits.at(-1) === 0 || EXPECTED_FAILURE.test(text) || LATER_SUCCESS.test(text)) {
    // "exit 0 before, exit 1 after" is a failure all the same.
    return exits.length > 1 && exits.at(-1) !== 0;
  }
  if (exits.length > 0) return true;
  return (readNumbers(text, FAILED_COUNT).at(-1) ?? 0) > 0 || UNFINISHED_TASK.test(text) || UNCHECKED_TASK.test(text);
}
