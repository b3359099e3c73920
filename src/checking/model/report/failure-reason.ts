import rules from "./failure-rules.json" with { type: "json" };
import type { LoadFailure, TestFormat, TestOutcome } from "./test-report.ts";

/** `missing-symbol`: the code under test does not exist yet. `syntax`: a file does not parse. `error`: anything else. */
const FAILURE_REASONS = ["assertion", "missing-symbol", "syntax", "error"] as const;

export interface FailureReason {
  readonly reason: (typeof FAILURE_REASONS)[number];
  /** The missing name or module, if the runner reports it. */
  readonly symbol?: string;
}

/** The first matching rule decides. Its capture group is the missing symbol. */
type FailureRule = readonly [reason: FailureReason["reason"], when: RegExp];

const compileRules = (lines: readonly (readonly string[])[], flags = ""): FailureRule[] =>
  lines.map(([name, when = ""]) => [FAILURE_REASONS.find((one) => one === name) ?? "error", new RegExp(when, flags)]);

const javascript = compileRules(rules.javascript);
const ruby = compileRules(rules.ruby);
const junit = [...compileRules(rules.python), ...javascript];

/** Some runners report load failures and test failures in different formats. */
const FAILURE_RULES: Readonly<Record<TestFormat, Readonly<Record<"load" | "test", readonly FailureRule[]>>>> = {
  "vitest-json": { load: javascript, test: javascript },
  "jest-json": { load: javascript, test: javascript },
  tap: { load: javascript, test: javascript },
  "junit-xml": { load: junit, test: junit },
  // Only the test itself can make it fail otherwise, so the last rule of its failures always matches.
  "go-json": { load: compileRules(rules.goBuild, "m"), test: compileRules(rules.goTest, "m") },
  "libtest-json": { load: compileRules(rules.rustBuild, "m"), test: compileRules(rules.rustTest, "m") },
  "junit-java": { load: compileRules(rules.javaBuild, "m"), test: compileRules(rules.javaTest) },
  "phpunit-xml": { load: compileRules(rules.php), test: compileRules(rules.php) },
  trx: { load: compileRules(rules.csharpBuild, "m"), test: compileRules(rules.csharpTest) },
  "rspec-json": { load: ruby, test: ruby },
  minitest: { load: ruby, test: ruby },
};

export function classifyTestFailure(format: TestFormat, failure: TestOutcome | LoadFailure): FailureReason {
  const said = (failure.message ?? "").replace(/^failed on (?:setup|teardown) with "/, "");
  const own = FAILURE_RULES[format]["status" in failure ? "test" : "load"];
  const reason = own.find(([, when]) => when.test(said))?.[0] ?? "error";
  if (reason !== "missing-symbol") return { reason };
  // A compiler may report several missing symbols; the first in the text counts.
  const matches = own
    .map(([kind, when]) => (kind === reason ? when.exec(said) : null))
    .filter((match) => match !== null);
  const symbol = matches.toSorted((a, b) => a.index - b.index)[0]?.[1];
  return symbol === undefined ? { reason } : { reason, symbol };
}
