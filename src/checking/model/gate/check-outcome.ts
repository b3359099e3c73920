import { type CommandEnding, formatInvocationLine } from "#kernel/model/shell-command.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { stripTerminalColours, type TestReport } from "../report/test-report.ts";
import type { StackCheck } from "../stack/stack-check.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { GateCheckResult } from "#planning/model/workflow/workflow-record.ts";

export interface CheckRun {
  readonly how: CommandEnding;
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
  readonly why?: string | undefined;
  readonly bytes: number;
  readonly tail: string;
}

/**
 * `fixable`: the tool's own fix may repair it. `transient`: it may pass on the next try. `real`: only a code change
 * helps.
 */
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

export const createProblemResult = (check: string, problems: readonly Problem[]): GateCheckResult => ({
  check,
  status: problems.length === 0 ? "passed" : "failed",
  problems,
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
  if (check.kind === "test" || check.report) return judgeTestRun(check, run, report);
  const problem = findExpectationProblem(check, run);
  return problem === undefined
    ? PASSED_OUTCOME
    : createFailedOutcome(check.fix ? "fixable" : "real", [problem], run.tail);
}

function describeUnfinishedRun({ tool, timeout_s, silence_s, run }: StackCheck, ended: CheckRun): CheckOutcome {
  const { how, signal = "a signal", why = "nobody knows why", tail } = ended;
  const transient: Partial<Record<CommandEnding, string>> = {
    "timed-out": `${tool} was not done after ${timeout_s} s and was ended.`,
    silent: `${tool} said nothing for ${silence_s} s and was ended.`,
    signalled: `${tool} was ended by ${signal}.`,
  };
  const problem = transient[how];
  if (problem !== undefined) return createFailedOutcome("transient", [problem], tail);
  if (how === "cancelled") return createUnknownOutcome("It was cancelled.");
  if (how !== "not-found") return createUnknownOutcome(`${tool} could not be started: ${sanitizeText(why, 200)}`);
  const line = formatInvocationLine(run);
  return createUnknownOutcome(`${tool} is not there: ${line} could not be started. Install what the project needs.`);
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
      return bytes === 0 ? undefined : `${tool} should say nothing, and did.`;
    case "no-matches":
      // As grep: exit code 1 means no match, a higher one means a wrong call.
      if (code === 1 && bytes === 0) return undefined;
      return code > 1 ? `${tool} exited with ${code}.` : `${tool} found what should not be there.`;
    case "min-score": {
      const score = readLastScore(tail);
      if (score === undefined) return `${tool} gave no score, and exited with ${code}.`;
      return score >= min_score ? undefined : `${tool} gives ${score}, and ${min_score} is the least.`;
    }
  }
}

function readLastScore(tail: string): number | undefined {
  const last = [...tail.slice(-10_000).matchAll(/(-?\d{1,6}(?:\.\d{1,6})?)\s?\/\s?10\b/g)].at(-1)?.[1];
  return last === undefined ? undefined : Number(last);
}

const formatReportAdvice = ({ tool }: StackCheck): string =>
  `Have it leave one, in sdd/stacks/<profile>.yaml (tenon stack names the profile): { extends: <profile>, checks: ` +
  `[{ kind: test, tool: ${tool}, argv: [<program>, "{report}"], report: { format: junit-xml } }] }. ` +
  `Or let it be, in sdd/config.yaml: gates: { waived: { tests: <why> } }. Then: tenon trust`;

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
    const why = `${formatInvocationLine(check.run)} leaves no report of its tests, so nobody knows what was tested.`;
    return createUnknownOutcome(`${why} ${formatReportAdvice(check)}`);
  }
  if (report === undefined || "problem" in report) {
    const why = report?.problem ?? "There is none.";
    return createFailedOutcome("real", [`${tool} left no report that can be read. ${why}`], tail);
  }
  const count = Object.groupBy(report.tests, ({ status }) => status);
  const problems = [
    ...report.failures.map(({ file, message }) => `${file} could not be tested: ${formatFirstLine(message)}`),
    ...(count.failed ?? []).map(
      ({ file, name, message }) => `${file}: ${sanitizeText(name, 200)}: ${formatFirstLine(message ?? "failed")}`,
    ),
  ];
  if (problems.length > 0) {
    const hidden = code === 0 ? [`${tool} exited with 0 all the same: something hides its failures.`] : [];
    return createFailedOutcome("real", [...problems, ...hidden]);
  }
  if (!count.passed) {
    const skipped = count.skipped ? `: ${formatCount(count.skipped.length, "test")} skipped` : "";
    return createFailedOutcome("real", [`No test was run${skipped}.`]);
  }
  if (code === 0) return PASSED_OUTCOME;
  return createFailedOutcome("real", [`${tool} exited with ${code}, though no test failed.`], tail);
}

const formatFirstLine = (text: string): string => sanitizeText(/\S.*/.exec(text)?.[0].trimEnd() ?? "", 300);

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

/**
 * Seconds until the next retry; undefined if no retry helps or all are used. A single real failure makes retries of the
 * others pointless.
 */
export function planNextRetry(failures: readonly FailureKind[], runs: number, retryAll: boolean): number | undefined {
  if (failures.length === 0) return undefined;
  if (!retryAll && failures.includes("real")) return undefined;
  return RETRY_WAITS_S[runs - 1];
}
