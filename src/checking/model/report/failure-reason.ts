import type { LoadFailure, TestFormat, TestOutcome } from "./test-report.ts";

/**
 * `missing-symbol`: the code under test does not exist yet. `syntax`: a file does not parse. `error`: anything else.
 */
export interface FailureReason {
  readonly reason: "assertion" | "missing-symbol" | "syntax" | "error";
  /** The missing name or module, if the runner reports it. */
  readonly symbol?: string;
}

/** The capture group is the missing symbol. */
type FailureRule = readonly [reason: FailureReason["reason"], when: RegExp];

/** The first matching rule decides. */
const JAVASCRIPT_FAILURES: readonly FailureRule[] = [
  ["missing-symbol", /^SyntaxError: .{0,300}does not provide an export named '([^']+)'/],
  ["error", /^SyntaxError: .{0,300}JSON/],
  [
    "syntax",
    /^(?:SyntaxError\b|Transform failed with|Jest encountered an unexpected token|Parse failure|Failed to parse)/,
  ],
  ["syntax", /^.{0,200}\[PARSE_ERROR\]/],
  ["missing-symbol", /^(?:Error: )?Failed to (?:resolve import|load url) "?([^\s"]+)/],
  ["missing-symbol", /^(?:Error: )?(?:\[[A-Z_]+\]: )?Cannot find (?:module|package) '([^']+)'/],
  ["missing-symbol", /^(?:Error: )?\[vitest\] No "([^"]+)" export is defined on/],
  ["missing-symbol", /^(?:Error: )?Element type is invalid: .{0,300} but got: undefined/],
  ["missing-symbol", /^(?:ReferenceError: )?([\w$]+) is not defined(?:\n|$)/],
  ["missing-symbol", /^(?:TypeError: )?\(0 ?, ?[\w$]+\.([\w$.]+)\) is not a (?:function|constructor)/],
  [
    "missing-symbol",
    /^(?:TypeError: )?(?:__vi_import_\d+__\.|__vite_ssr_import_\d+__\.)?([\w$.]+) is not a (?:function|constructor)/,
  ],
  ["assertion", /^(?:\w*AssertionError|TestingLibraryElementError)\b/],
  ["assertion", /^(?:Error: )?(?:expect\(|expect\.|assert\.\w+\(received|expected number of assertions|Snapshot `)/],
  ["assertion", /^(?:Error: )?promise (?:resolved|rejected) .{0,300} instead of (?:rejecting|resolving)/],
];

const PYTHON_FAILURES: readonly FailureRule[] = [
  ["syntax", /(?:^|\n)(?:SyntaxError|IndentationError|TabError): /],
  ["missing-symbol", /(?:^|\n)ModuleNotFoundError: No module named '([^']+)'/],
  ["missing-symbol", /(?:^|\n)ImportError: cannot import name '([^']+)'/],
  ["error", /(?:^|\n)AttributeError: 'NoneType' object has no attribute/],
  ["missing-symbol", /(?:^|\n)AttributeError: .{0,200} has no attribute '([^']+)'/],
  ["missing-symbol", /(?:^|\n)NameError: name '([^']+)' is not defined/],
  ["assertion", /^(?:AssertionError\b|assert |Failed: )/],
  ["assertion", /:\d+: (?:AssertionError|Failed)$/],
];

const GO_BUILD_FAILURES: readonly FailureRule[] = [
  [
    "syntax",
    /^\S+:\d+:\d+: (?:syntax error|illegal character|expected (?:'|operand|declaration|statement|type|expression|\d))/m,
  ],
  ["syntax", /^\S+:\d+:\d+: (?:missing '|missing return type|.{0,60}not terminated)/m],
  ["missing-symbol", /^\S+:\d+:\d+: undefined: (\S+)/m],
  ["missing-symbol", /^\S+:\d+:\d+: (\S{1,200}) undefined \(type /m],
  ["missing-symbol", /^\S+:\d+:\d+: unknown field (\S+) in struct literal/m],
  ["missing-symbol", /^\S+:\d+:\d+: name (\S+) not exported by package/m],
  ["missing-symbol", /^\S+:\d+:\d+: no required module provides package ([^\s;]+)/m],
  ["missing-symbol", /^\S+:\d+:\d+: (?:package|cannot find package) "?([^\s"]+)"? (?:is not in std|in any of)/m],
];

const GO_TEST_FAILURES: readonly FailureRule[] = [
  ["error", /^(?:It began and never ended\.|panic: |fatal error: )/m],
  // Only the test itself can make it fail otherwise.
  ["assertion", /^/],
];

const RUST_BUILD_FAILURES: readonly FailureRule[] = [
  [
    "syntax",
    /^\S+ error(?:\[E0(?:586|748|758|762|763|765|766)\])?: (?:expected|unexpected|unterminated|unclosed|mismatched)/m,
  ],
  [
    "syntax",
    /^\S+ error: (?:this file contains an un|unknown start of token|unknown character|missing|prefix|invalid)/m,
  ],
  ["missing-symbol", /error\[E0432\]: unresolved import `[^`]*`: no `([^`]+)` in/],
  ["missing-symbol", /error\[E0432\]: unresolved imports? `([^`]+)`/],
  [
    "missing-symbol",
    /error\[E0(?:404|405|412|423|425|433|531|573|574)\]: (?:cannot find|failed to resolve)[^`\n]*`([^`]+)`/,
  ],
  ["missing-symbol", /error\[E0(?:559|560)\]: [^\n]{0,200} has no field named `([^`]+)`/],
  ["missing-symbol", /error\[E0(?:407|576|599|609|610)\]: [^`\n]*`([^`]+)`/],
  ["missing-symbol", /error\[E0583\]: file not found for module `([^`]+)`/],
  ["missing-symbol", /error\[E0463\]: can't find crate for `([^`]+)`/],
  ["missing-symbol", /error: cannot find (?:macro|attribute|derive macro) `([^`]+)`/],
];

const RUST_TEST_FAILURES: readonly FailureRule[] = [
  ["assertion", /panicked at [^\n]*:\nassertion\b/],
  ["assertion", /^(?:test did not panic as expected|panic did not contain expected string)/m],
];

const JUNIT_FAILURES = [...PYTHON_FAILURES, ...JAVASCRIPT_FAILURES];

/** Some runners report load failures and test failures in different formats. */
const FAILURE_RULES: Readonly<Record<TestFormat, Readonly<Record<"load" | "test", readonly FailureRule[]>>>> = {
  "vitest-json": { load: JAVASCRIPT_FAILURES, test: JAVASCRIPT_FAILURES },
  "jest-json": { load: JAVASCRIPT_FAILURES, test: JAVASCRIPT_FAILURES },
  "junit-xml": { load: JUNIT_FAILURES, test: JUNIT_FAILURES },
  "go-json": { load: GO_BUILD_FAILURES, test: GO_TEST_FAILURES },
  "libtest-json": { load: RUST_BUILD_FAILURES, test: RUST_TEST_FAILURES },
};

export function classifyTestFailure(format: TestFormat, failure: TestOutcome | LoadFailure): FailureReason {
  const said = (failure.message ?? "").replace(/^failed on (?:setup|teardown) with "/, "");
  const rules = FAILURE_RULES[format]["status" in failure ? "test" : "load"];
  const reason = rules.find(([, when]) => when.test(said))?.[0] ?? "error";
  const symbol = reason === "missing-symbol" ? findMissingSymbol(rules, said) : undefined;
  return symbol === undefined ? { reason } : { reason, symbol };
}

/** A compiler may report several missing symbols; the first in the text counts. */
function findMissingSymbol(rules: readonly FailureRule[], said: string): string | undefined {
  const found = rules
    .filter(([reason]) => reason === "missing-symbol")
    .map(([, when]) => when.exec(said))
    .filter((match) => match !== null);
  return found.toSorted((a, b) => a.index - b.index)[0]?.[1];
}
