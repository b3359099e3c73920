import { formatShortList, quote, sanitizeText } from "#kernel/model/text-format.ts";
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
  /** Tests that pass without the implementation too, without a reason. */
  readonly passing: readonly NewTestCase[];
  readonly problems: readonly Problem[];
}

interface EvidenceInput {
  readonly cases: readonly NewTestCase[];
  readonly report: TestReport;
  readonly whyFailed: (failed: TestOutcome | LoadFailure) => FailureReason;
  /** Whether a test reported under the first path may be written in the second: some runners name only the package. */
  readonly mayHold: (told: string, file: string) => boolean;
  readonly isBrought: (symbol: string) => boolean;
  /** Whether the code that the work changes raised the error: a bug may be a crash. */
  readonly isRaisedInCode: (failed: TestOutcome | LoadFailure) => boolean;
}

/** It must fail on an assertion, by an error of the code, or because a symbol that the work adds is missing. */
export function judgeTestEvidence(input: EvidenceInput): TestEvidence {
  const { cases, report, whyFailed, mayHold, isBrought, isRaisedInCode } = input;
  const red: FailedNewTest[] = [];
  const passing: NewTestCase[] = [];
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
      if (outcomes.length === 0) refuse(each, describeMissingTest(report));
      else if (outcomes.some(({ status }) => status === "skipped")) refuse(each, "is skipped, so it proves nothing.");
      else {
        passing.push(each);
        refuse(each, "passes without your change, so it does not test the new behaviour.");
      }
      continue;
    }
    const why = whyFailed(failed);
    const isRight =
      why.reason === "assertion" ||
      (why.reason === "error" && failure !== undefined && isRaisedInCode(failure)) ||
      (why.reason === "missing-symbol" && (why.symbol === undefined || isBrought(why.symbol)));
    if (isRight) {
      red.push({ file: each.file, name: each.name, why: why.reason });
      continue;
    }
    const first = sanitizeText(failed.message?.split("\n").find((line) => line.trim() !== "") ?? "", 200);
    const missing = `${sanitizeText(why.symbol ?? "", 80)} is missing, and your change does not add it.`;
    const detail =
      why.reason === "missing-symbol" ? missing : `${why.reason === "syntax" ? "syntax error: " : ""}${first}`;
    refuse(each, `failed without your change, but not on an assertion: ${detail}`);
  }
  return { red, passing, problems };
}

const MAX_LISTED_TESTS = 3;

function describeMissingTest({ tests, failures: [broken] }: TestReport): string {
  const names = tests.map(({ name }) => quote(name, 60));
  const listed = names.length === 0 ? "The report is empty" : `It has ${formatShortList(names, MAX_LISTED_TESTS)}`;
  const first = broken && sanitizeText(broken.message.split("\n")[0] ?? "", 200);
  const found = broken ? `${broken.file} does not load, so fix that file first: ${first}` : `${listed}.`;
  return `is not in the test report of the run without your change. ${found}`;
}

const BEFORE_TEST_NAME = /(?:^|> |::|[/.])$/;

/** Compares the test name without its suites and fills in templates. Go writes the spaces of a name as underscores. */
export const isSameTestName = (template: string, name: string): boolean =>
  hasTemplateMatch(template, name) ||
  hasTemplateMatch(replaceNameSpaces(template), name) ||
  hasTemplateMatch(joinSuiteNames(template), joinSuiteNames(name));

/** RSpec and minitest write the suites in a row: `User#initials takes letters`, `User::#initials`. */
const joinSuiteNames = (name: string): string => name.replaceAll(/ > |::/g, " ").replaceAll(/ (?=[#.])/g, "");

const replaceNameSpaces = (name: string): string =>
  name
    .split(" > ")
    .map((part) => part.replaceAll(" ", "_"))
    .join(" > ");

function hasTemplateMatch(template: string, name: string): boolean {
  const bare = name.replace(/\[[^[\]]{0,300}\]$/, "");
  const [first = "", ...rest] = template.split(/%[sdifjoO#%]|[$#]\{[^}]*\}|\$[\w.]+/);
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
