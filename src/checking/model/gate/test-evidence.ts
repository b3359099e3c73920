import { sanitizeText } from "#kernel/model/text-format.ts";
import type { LoadFailure, TestOutcome, TestReport } from "../report/test-report.ts";
import type { FailureReason } from "../report/failure-reason.ts";
import type { Problem } from "#kernel/model/verdict.ts";

/** A test case in the source; its name may be a template. */
export interface NewTestCase {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  /** The reason, from a comment in the test, why it may pass without the implementation. */
  readonly allowed?: string | undefined;
}

export interface FailedNewTest {
  readonly file: string;
  readonly name: string;
  readonly why: FailureReason["reason"];
}

export const isSameTest = (a: Pick<NewTestCase, "file" | "name">, b: Pick<NewTestCase, "file" | "name">): boolean =>
  a.file === b.file && a.name === b.name;

export interface TestEvidence {
  readonly red: readonly FailedNewTest[];
  readonly problems: readonly Problem[];
}

interface EvidenceInput {
  readonly cases: readonly NewTestCase[];
  readonly report: TestReport;
  readonly whyFailed: (failed: TestOutcome | LoadFailure) => FailureReason;
  /** Whether a test reported under the first path may be written in the second: some runners name only the package. */
  readonly mayHold: (told: string, file: string) => boolean;
  readonly isBrought: (symbol: string) => boolean;
}

/**
 * A new test must fail without the implementation, on an assertion or because a symbol that the work adds is missing.
 */
export function judgeTestEvidence({ cases, report, whyFailed, mayHold, isBrought }: EvidenceInput): TestEvidence {
  const red: FailedNewTest[] = [];
  const problems: Problem[] = [];
  const refuse = ({ file, name, line }: NewTestCase, why: string): void =>
    void problems.push({ problem: `${file}: ${sanitizeText(name, 200)} ${why}`, line });
  for (const each of cases) {
    const outcomes = report.tests.filter(
      ({ file, name }) => mayHold(file, each.file) && isSameTestName(each.name, name),
    );
    const failure = outcomes.find(({ status }) => status === "failed");
    const load = failure ? undefined : report.failures.find(({ file }) => mayHold(file, each.file));
    const failed = failure ?? load;
    if (!failed) {
      if (each.allowed !== undefined) continue;
      const skipped = outcomes.some(({ status }) => status === "skipped");
      refuse(each, NO_EVIDENCE_REASONS[outcomes.length === 0 ? "absent" : skipped ? "skipped" : "green"]);
      continue;
    }
    const why = whyFailed(failed);
    const isRight =
      why.reason === "assertion" ||
      (why.reason === "missing-symbol" && (why.symbol === undefined || isBrought(why.symbol)));
    if (isRight) red.push({ file: each.file, name: each.name, why: why.reason });
    else refuse(each, `fails without the implementation for another reason: ${formatWrongFailure(why, failed)}`);
  }
  return { red, problems };
}

const NO_EVIDENCE_REASONS = {
  absent: "was not run without the implementation.",
  skipped: "is skipped, so it shows nothing.",
  green: "passes without the implementation, so it does not test what is new.",
} as const;

function formatWrongFailure({ reason, symbol }: FailureReason, { message = "" }: TestOutcome | LoadFailure): string {
  const first = sanitizeText(message.split("\n").find((line) => line.trim() !== "") ?? "", 200);
  if (reason === "missing-symbol")
    return `${sanitizeText(symbol ?? "", 80)} is missing, which is not part of the work.`;
  return `${reason === "syntax" ? "the code cannot be read" : "it broke"}: ${first}`;
}

const BEFORE_TEST_NAME = /(?:^|> |::|[/.])$/;

/** Compares the test name without its suites and fills in templates. Go writes the spaces of a name as underscores. */
export const isSameTestName = (template: string, name: string): boolean =>
  hasTemplateMatch(template, name) || hasTemplateMatch(replaceNameSpaces(template), name);

const replaceNameSpaces = (name: string): string =>
  name
    .split(" > ")
    .map((part) => part.replaceAll(" ", "_"))
    .join(" > ");

function hasTemplateMatch(template: string, name: string): boolean {
  const bare = name.replace(/\[[^[\]]{0,300}\]$/, "");
  const [first = "", ...rest] = template.split(/%[sdifjoO#%]|\$\{[^}]*\}|\$[\w.]+/);
  for (let at = bare.indexOf(first); at !== -1; at = bare.indexOf(first, at + 1)) {
    if (BEFORE_TEST_NAME.test(bare.slice(0, at)) && hasPartsInOrder(bare.slice(at + first.length), rest)) return true;
  }
  return false;
}

/** Whether the text contains the parts in order, with the last at its end. */
function hasPartsInOrder(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts.slice(0, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  const last = parts.at(-1);
  return last === undefined ? text === "" : text.length - last.length >= at && text.endsWith(last);
}
