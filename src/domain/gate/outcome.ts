import { formatCount } from "../count.ts";
import { sanitizeText } from "../quote.ts";
import { withoutColours } from "../report/reading.ts";
import type { TestReport } from "../report/tests.ts";
import type { StackCheck } from "../stack/check.ts";
import { formatInvocationLine } from "../stack/command-line.ts";
import type { Problem } from "./verdict.ts";

export interface Run {
  readonly how: "exited" | "timed-out" | "silent" | "cancelled" | "not-found" | "signalled" | "not-started";
  readonly code?: number;
  readonly signal?: string;
  readonly why?: string;
  readonly bytes: number;
  readonly tail: string;
}

/**
 * `fixable`: the tool's own fix may repair it. `transient`: it may pass on the next try. `real`: only a code change
 * helps.
 */
export type FailureKind = "fixable" | "transient" | "real";

export interface Outcome {
  readonly status: "passed" | "failed" | "unknown";
  readonly problems: readonly Problem[];
  readonly failure?: FailureKind;
  readonly reason?: string;
}

const PASSED: Outcome = { status: "passed", problems: [] };
const failed = (failure: FailureKind, problems: readonly string[]): Outcome => ({
  status: "failed",
  failure,
  problems: problems.map((problem) => ({ problem })),
});
const unknown = (reason: string): Outcome => ({ status: "unknown", problems: [], reason });

/** Exit code and report must agree. Words in the output prove nothing. */
export function outcomeOf(check: StackCheck, run: Run, report?: TestReport | { readonly problem: string }): Outcome {
  if (run.how !== "exited") return unfinished(check, run);
  if (check.kind === "test" || check.report) return ofTests(check, run, report);
  const problem = expectationProblem(check, run);
  if (problem === undefined) return PASSED;
  return failed(check.fix ? "fixable" : "real", [problem, ...lastWords(run.tail)]);
}

function unfinished({ tool, timeout_s, silence_s, run }: StackCheck, { how, signal, why, tail }: Run): Outcome {
  switch (how) {
    case "not-found":
      return unknown(
        `${tool} is not there: ${formatInvocationLine(run)} could not be started. Install what the project needs.`,
      );
    case "cancelled":
      return unknown("It was cancelled.");
    case "timed-out":
      return failed("transient", [`${tool} was not done after ${timeout_s} s and was ended.`, ...lastWords(tail)]);
    case "silent":
      return failed("transient", [`${tool} said nothing for ${silence_s} s and was ended.`, ...lastWords(tail)]);
    case "signalled":
      return failed("transient", [`${tool} was ended by ${signal ?? "a signal"}.`, ...lastWords(tail)]);
    case "not-started":
    case "exited":
      return unknown(`${tool} could not be started: ${sanitizeText(why ?? "nobody knows why", 200)}`);
  }
}

function expectationProblem(
  { expect, min_score = 0, tool }: StackCheck,
  { code = -1, bytes, tail }: Run,
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
      const score = scoreIn(tail);
      if (score === undefined) return `${tool} gave no score, and exited with ${code}.`;
      return score >= min_score ? undefined : `${tool} gives ${score}, and ${min_score} is the least.`;
    }
  }
}

function scoreIn(tail: string): number | undefined {
  const last = [...tail.slice(-10_000).matchAll(/(-?\d{1,6}(?:\.\d{1,6})?)\s?\/\s?10\b/g)].at(-1)?.[1];
  return last === undefined ? undefined : Number(last);
}

const waysOut = ({ tool }: StackCheck): string =>
  `Have it leave one, in sdd/stacks/<profile>.yaml (tenon stack names the profile): { extends: <profile>, checks: ` +
  `[{ kind: test, tool: ${tool}, argv: [<program>, "{report}"], report: { format: junit-xml } }] }. ` +
  `Or let it be, in sdd/config.yaml: gates: { waived: { tests: <why> } }. Then: tenon trust`;

function ofTests(check: StackCheck, run: Run, report: TestReport | { readonly problem: string } | undefined): Outcome {
  const { tool } = check;
  const code = run.code ?? -1;
  if (!check.report) {
    // Without a report the passed tests are unknown, but a failure is certain and cannot be waived.
    const problem = expectationProblem(check, run);
    if (problem !== undefined) return failed("real", [problem, ...lastWords(run.tail)]);
    const why = `${formatInvocationLine(check.run)} leaves no report of its tests, so nobody knows what was tested.`;
    return unknown(`${why} ${waysOut(check)}`);
  }
  if (report === undefined || "problem" in report) {
    const why = report === undefined ? "There is none." : report.problem;
    return failed("real", [`${tool} left no report that can be read. ${why}`, ...lastWords(run.tail)]);
  }
  const broken = report.tests.filter(({ status }) => status === "failed");
  const problems = [
    ...report.failures.map(({ file, message }) => `${file} could not be tested: ${firstLine(message)}`),
    ...broken.map(
      ({ file, name, message }) => `${file}: ${sanitizeText(name, 200)}: ${firstLine(message ?? "failed")}`,
    ),
  ];
  if (problems.length > 0) {
    const hidden = code === 0 ? [`${tool} exited with 0 all the same: something hides its failures.`] : [];
    return failed("real", [...problems, ...hidden]);
  }
  const ran = report.tests.filter(({ status }) => status === "passed").length;
  if (ran === 0) {
    const skipped = report.tests.length;
    return failed("real", [`No test was run${skipped > 0 ? `: ${formatCount(skipped, "test")} skipped` : ""}.`]);
  }
  if (code !== 0) {
    return failed("real", [`${tool} exited with ${code}, though no test failed.`, ...lastWords(run.tail)]);
  }
  return PASSED;
}

const firstLine = (text: string): string =>
  sanitizeText(
    text
      .split("\n")
      .map((line) => line.trim())
      .find((line) => line !== "") ?? "",
    300,
  );

const MOST_LINES = 20;

function lastWords(tail: string): string[] {
  const lines = withoutColours(tail)
    .split(/\r?\n/)
    .map((line) => sanitizeText(line.trimEnd(), 240))
    .filter((line) => line.trim() !== "");
  const rest = lines.length - MOST_LINES;
  return rest > 0 ? [`(the last ${MOST_LINES} of ${lines.length} lines)`, ...lines.slice(rest)] : lines;
}
