import { type CommandEnding, formatInvocationLine } from "#kernel/model/shell-command.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { type RunLocation, stripTerminalColours, type TestReport } from "../report/test-report.ts";
import { describeLicenseStop } from "../stack/license-checks.ts";
import type { StackCheck } from "../stack/stack-check.ts";
import { describeFailureReason, listFailureLines, normalizeLine, type ReportedFailure } from "./known-failures.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { GateAllowance, GateCheckResult } from "#planning/model/workflow/workflow-record.ts";

export interface CheckRun {
  readonly how: CommandEnding;
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
  readonly why?: string | undefined;
  readonly bytes: number;
  readonly tail: string;
}

/** `fixable` by the tool's own fix; `transient` may pass on the next try; `real` needs a code change. */
export type FailureKind = "fixable" | "transient" | "real";

export interface CheckOutcome {
  readonly status: "passed" | "failed" | "unknown";
  readonly problems: readonly Problem[];
  readonly failure?: FailureKind;
  readonly reason?: string;
}

const PASSED_OUTCOME: CheckOutcome = { status: "passed", problems: [] };
const createFailedOutcome = (failure: FailureKind, problems: readonly string[], tail = ""): CheckOutcome => ({
  status: "failed",
  failure,
  problems: [...problems, ...listOutputTail(tail)].map((problem) => ({ problem })),
});
const createUnknownOutcome = (reason: string): CheckOutcome => ({ status: "unknown", problems: [], reason });

export const createProblemResult = (
  check: string,
  problems: readonly Problem[],
  allowed: readonly GateAllowance[] = [],
): GateCheckResult => ({
  check,
  status: problems.length === 0 ? "passed" : "failed",
  problems: problems.map(({ problem, line }) => ({ problem, ...(line === undefined ? {} : { line }) })),
  ...(allowed.length > 0 ? { allowed } : {}),
});

export const createUnknownResult = (check: string, reason: string): GateCheckResult => ({
  check,
  status: "unknown",
  problems: [],
  reason,
});

/** Exit code and report must agree. Words in the output prove nothing. */
export function judgeCheckRun(
  check: StackCheck,
  run: CheckRun,
  report?: TestReport | { readonly problem: string },
): CheckOutcome {
  if (run.how !== "exited") return describeUnfinishedRun(check, run);
  const hasReport = report !== undefined && !("problem" in report);
  const missing = hasReport ? undefined : findMissingProgram(run);
  if (missing !== undefined)
    return createUnknownOutcome(
      `${check.tool} could not start: ${missing}. Install what the project needs, then try again.`,
    );
  if (check.kind === "test" || check.report) return judgeTestRun(check, run, report);
  const problem = findExpectationProblem(check, run);
  return problem === undefined
    ? PASSED_OUTCOME
    : createFailedOutcome(check.fix ? "fixable" : "real", [problem], run.tail);
}

function describeUnfinishedRun({ tool, timeout_s, silence_s, run }: StackCheck, ended: CheckRun): CheckOutcome {
  const { how, signal = "a signal", why = "unknown reason", tail } = ended;
  const transient: Partial<Record<CommandEnding, string>> = {
    "timed-out": `${tool} did not finish after ${timeout_s} s and was stopped.`,
    silent: `${tool} printed nothing for ${silence_s} s and was stopped.`,
    signalled: `${tool} was ended by ${signal}.`,
  };
  const problem = transient[how];
  if (problem !== undefined) return createFailedOutcome("transient", [problem], tail);
  if (how === "cancelled") return createUnknownOutcome("It was cancelled.");
  if (how !== "not-found") return createUnknownOutcome(`${tool} could not be started: ${sanitizeText(why, 200)}`);
  const line = formatInvocationLine(run);
  return createUnknownOutcome(`${tool} is not installed: ${line} could not start. Install what the project needs.`);
}

const SHELL_MESSAGE = /^[^\n]*?([^\s:]+): (?:command )?(not found|Permission denied)$/m;
const NPX_MESSAGE = /npx canceled due to missing packages and no YES option: \[([^\]\n]{1,200})\]/;

/** A shell ends with 127 if there is no such program, and with 126 if it cannot be run. */
function findMissingProgram({ code, tail }: CheckRun): string | undefined {
  const said = stripTerminalColours(tail);
  const packages = NPX_MESSAGE.exec(said)?.[1];
  if (code !== 0 && packages !== undefined) return `npx would install ${sanitizeText(packages, 100)}`;
  if (code !== 126 && code !== 127) return undefined;
  const program = SHELL_MESSAGE.exec(said)?.[1];
  const why = code === 127 ? "is not installed" : "cannot be run";
  return `${program === undefined ? "a program" : sanitizeText(program, 60)} ${why} (exit code ${code})`;
}

function findExpectationProblem(
  { expect, min_score = 0, tool }: StackCheck,
  { code = -1, bytes, tail }: CheckRun,
): string | undefined {
  switch (expect) {
    case "exit-zero":
      return code === 0 ? undefined : `${tool} exited with ${code}.`;
    case "no-output":
      if (code !== 0) return `${tool} exited with ${code}.`;
      return bytes === 0 ? undefined : `${tool} should print nothing, and printed something.`;
    case "no-matches":
      // As grep: exit code 1 means no match, a higher one means a wrong call.
      if (code === 1 && bytes === 0) return undefined;
      return code > 1 ? `${tool} exited with ${code}.` : `${tool} found problems.`;
    case "min-score": {
      const last = [...tail.slice(-10_000).matchAll(/(-?\d{1,6}(?:\.\d{1,6})?)\s?\/\s?10\b/g)].at(-1)?.[1];
      const score = Number(last);
      if (last === undefined) return `${tool} gave no score, and exited with ${code}.`;
      return score >= min_score ? undefined : `${tool} scored ${score}; the minimum is ${min_score}.`;
    }
  }
}

function judgeTestRun(
  check: StackCheck,
  run: CheckRun,
  report: TestReport | { readonly problem: string } | undefined,
): CheckOutcome {
  const { tool } = check;
  const { code = -1, tail } = run;
  if (!check.report) {
    // Without a report the passed tests are unknown, but a failure is certain and cannot be waived.
    const problem = findExpectationProblem(check, run);
    if (problem !== undefined) return createFailedOutcome("real", [problem], tail);
    return createUnknownOutcome(
      `${formatInvocationLine(check.run)} writes no test report, so Tenon cannot tell which tests ran. ` +
        `Configure one in sdd/stacks/<profile>.yaml (tenon stack names the profile): { extends: <profile>, ` +
        `checks: [{ kind: test, tool: ${tool}, argv: [<program>, "{report}"], report: { format: junit-xml } }] }. ` +
        `Or waive it in sdd/config.yaml: gates: { waived: { tests: <why> } }. Then: tenon trust`,
    );
  }
  if (report === undefined || "problem" in report) {
    const why = describeLicenseStop(tail) ?? report?.problem ?? "The report is missing.";
    return createFailedOutcome("real", [`${tool} wrote no readable report. ${why}`], tail);
  }
  const count = Object.groupBy(report.tests, ({ status }) => status);
  const problems = listTestFailures(report).map(({ problem }) => problem);
  if (problems.length > 0) {
    const hidden = code === 0 ? [`${tool} still exited with 0: something hides its failures.`] : [];
    return createFailedOutcome("real", [...problems, ...hidden]);
  }
  if (!count.passed) {
    const skipped = count.skipped ? `: ${formatCount(count.skipped.length, "test")} skipped` : "";
    return createFailedOutcome("real", [`No test was run${skipped}.`]);
  }
  if (code === 0) return PASSED_OUTCOME;
  return createFailedOutcome("real", [`${tool} exited with ${code}, though no test failed.`], tail);
}

/** Failed tests, or why the run failed without one. Of other tools, the lines of output that can be found again. */
export function listCheckFailures(
  { kind, report: asked }: StackCheck,
  { status, problems }: Pick<CheckOutcome, "status" | "problems">,
  report: TestReport | undefined,
  output: string,
  root: string,
  { folder, working }: Pick<RunLocation, "folder"> & { readonly working?: string },
): ReportedFailure[] {
  if (status !== "failed") return [];
  if (report && asked) {
    const tests = listTestFailures(report, (failure) => describeFailureReason(asked.format, failure, root));
    // A run without tests proves nothing, however long it has been so.
    const isRun = report.tests.some((test) => test.status === "passed");
    if (tests.length > 0 || !isRun) return tests;
    return problems.map(({ problem }) => ({ key: normalizeLine(problem), problem }));
  }
  return kind === "test" || asked ? [] : listFailureLines(output, folder, working);
}

/** `describe` distinguishes failures of the same test. */
export const listTestFailures = (
  { failures, tests }: TestReport,
  describe: (failure: TestReport["failures"][number] | TestReport["tests"][number]) => string = () => "",
): ReportedFailure[] => [
  ...failures.map((failure) => ({
    file: failure.file,
    key: `${failure.file} ${describe(failure)}`,
    problem: `${failure.file} could not be tested: ${formatFirstLine(failure.message)}`,
  })),
  ...tests
    .filter(({ status }) => status === "failed")
    .map((test) => ({ ...test, reason: describe(test) }))
    .map(({ file, name, message, reason }) => ({
      file,
      key: `${file}: ${name} ${reason}`,
      problem: `${file}: ${sanitizeText(name, 200)}: ${formatFirstLine(message ?? "failed")}`,
    })),
];

/** Two lines if the first only announces the second, as in "Expected values to be strictly equal:". */
function formatFirstLine(text: string): string {
  const [first = "", second = ""] = text.split("\n").flatMap((line) => line.trim() || []);
  return sanitizeText(first.endsWith(":") ? `${first} ${second}`.trim() : first, 300);
}

const MAX_TAIL_LINES = 20;

function listOutputTail(tail: string): string[] {
  const lines = stripTerminalColours(tail)
    .split(/\r?\n/)
    .map((line) => sanitizeText(line.trimEnd(), 240))
    .filter((line) => line.trim() !== "");
  const rest = lines.length - MAX_TAIL_LINES;
  return rest > 0 ? [`(the last ${MAX_TAIL_LINES} of ${lines.length} lines)`, ...lines.slice(rest)] : lines;
}

export const RETRY_WAITS_S = [1, 5, 15] as const;

export interface GateAttempt {
  readonly n: number;
  readonly waited_s: number;
  readonly fixed: readonly string[];
  readonly failed: readonly { readonly check: string; readonly failure: FailureKind; readonly said: string }[];
}

/** Undefined if no retry helps or all are used. A single real failure makes retries of the others pointless. */
export function planNextRetry(failures: readonly FailureKind[], runs: number, retryAll: boolean): number | undefined {
  if (failures.length === 0) return undefined;
  if (!retryAll && failures.includes("real")) return undefined;
  return RETRY_WAITS_S[runs - 1];
}
