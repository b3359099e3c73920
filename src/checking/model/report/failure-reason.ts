import type { LoadFailure, TestFormat, TestOutcome } from "./test-report.ts";

/**
 * `missing-symbol`: the code under test does not exist yet. `syntax`: a file does not parse. `error`: anything else.
 */
export interface FailureReason {
  readonly reason: "assertion" | "missing-symbol" | "syntax" | "error";
  /** The missing name or module, if the runner reports it. */
  readonly symbol?: string;
}

interface FailureRule {
  readonly reason: FailureReason["reason"];
  /** The capture group is the symbol. */
  readonly when: RegExp;
}

const createMissingSymbolRule = (when: RegExp): FailureRule => ({ reason: "missing-symbol", when });
const createSyntaxRule = (when: RegExp): FailureRule => ({ reason: "syntax", when });
const createAssertionRule = (when: RegExp): FailureRule => ({ reason: "assertion", when });
const createErrorRule = (when: RegExp): FailureRule => ({ reason: "error", when });

/** The first matching rule decides. */
const JAVASCRIPT_FAILURES: readonly FailureRule[] = [
  createMissingSymbolRule(/^SyntaxError: .{0,300}does not provide an export named '([^']+)'/),
  createErrorRule(/^SyntaxError: .{0,300}JSON/),
  createSyntaxRule(
    /^(?:SyntaxError\b|Transform failed with|Jest encountered an unexpected token|Parse failure|Failed to parse)/,
  ),
  createSyntaxRule(/^.{0,200}\[PARSE_ERROR\]/),
  createMissingSymbolRule(/^(?:Error: )?Failed to (?:resolve import|load url) "?([^\s"]+)/),
  createMissingSymbolRule(/^(?:Error: )?(?:\[[A-Z_]+\]: )?Cannot find (?:module|package) '([^']+)'/),
  createMissingSymbolRule(/^(?:Error: )?\[vitest\] No "([^"]+)" export is defined on/),
  createMissingSymbolRule(/^(?:Error: )?Element type is invalid: .{0,300} but got: undefined/),
  createMissingSymbolRule(/^(?:ReferenceError: )?([\w$]+) is not defined(?:\n|$)/),
  createMissingSymbolRule(/^(?:TypeError: )?\(0 ?, ?[\w$]+\.([\w$.]+)\) is not a (?:function|constructor)/),
  createMissingSymbolRule(
    /^(?:TypeError: )?(?:__vi_import_\d+__\.|__vite_ssr_import_\d+__\.)?([\w$.]+) is not a (?:function|constructor)/,
  ),
  createAssertionRule(/^(?:\w*AssertionError|TestingLibraryElementError)\b/),
  createAssertionRule(
    /^(?:Error: )?(?:expect\(|expect\.|assert\.\w+\(received|expected number of assertions|Snapshot `)/,
  ),
  createAssertionRule(/^(?:Error: )?promise (?:resolved|rejected) .{0,300} instead of (?:rejecting|resolving)/),
];

const PYTHON_FAILURES: readonly FailureRule[] = [
  createSyntaxRule(/(?:^|\n)(?:SyntaxError|IndentationError|TabError): /),
  createMissingSymbolRule(/(?:^|\n)ModuleNotFoundError: No module named '([^']+)'/),
  createMissingSymbolRule(/(?:^|\n)ImportError: cannot import name '([^']+)'/),
  createErrorRule(/(?:^|\n)AttributeError: 'NoneType' object has no attribute/),
  createMissingSymbolRule(/(?:^|\n)AttributeError: .{0,200} has no attribute '([^']+)'/),
  createMissingSymbolRule(/(?:^|\n)NameError: name '([^']+)' is not defined/),
  createAssertionRule(/^(?:AssertionError\b|assert |Failed: )/),
  createAssertionRule(/:\d+: (?:AssertionError|Failed)$/),
];

const GO_BUILD_FAILURES: readonly FailureRule[] = [
  createSyntaxRule(
    /^\S+:\d+:\d+: (?:syntax error|illegal character|expected (?:'|operand|declaration|statement|type|expression|\d))/m,
  ),
  createSyntaxRule(/^\S+:\d+:\d+: (?:missing '|missing return type|.{0,60}not terminated)/m),
  createMissingSymbolRule(/^\S+:\d+:\d+: undefined: (\S+)/m),
  createMissingSymbolRule(/^\S+:\d+:\d+: (\S{1,200}) undefined \(type /m),
  createMissingSymbolRule(/^\S+:\d+:\d+: unknown field (\S+) in struct literal/m),
  createMissingSymbolRule(/^\S+:\d+:\d+: name (\S+) not exported by package/m),
  createMissingSymbolRule(/^\S+:\d+:\d+: no required module provides package ([^\s;]+)/m),
  createMissingSymbolRule(/^\S+:\d+:\d+: (?:package|cannot find package) "?([^\s"]+)"? (?:is not in std|in any of)/m),
];

const GO_TEST_FAILURES: readonly FailureRule[] = [
  createErrorRule(/^(?:It began and never ended\.|panic: |fatal error: )/m),
  // Only the test itself can make it fail otherwise.
  createAssertionRule(/^/),
];

const RUST_BUILD_FAILURES: readonly FailureRule[] = [
  createSyntaxRule(
    /^\S+ error(?:\[E0(?:586|748|758|762|763|765|766)\])?: (?:expected|unexpected|unterminated|unclosed|mismatched)/m,
  ),
  createSyntaxRule(
    /^\S+ error: (?:this file contains an un|unknown start of token|unknown character|missing|prefix|invalid)/m,
  ),
  createMissingSymbolRule(/error\[E0432\]: unresolved import `[^`]*`: no `([^`]+)` in/),
  createMissingSymbolRule(/error\[E0432\]: unresolved imports? `([^`]+)`/),
  createMissingSymbolRule(
    /error\[E0(?:404|405|412|423|425|433|531|573|574)\]: (?:cannot find|failed to resolve)[^`\n]*`([^`]+)`/,
  ),
  createMissingSymbolRule(/error\[E0(?:559|560)\]: [^\n]{0,200} has no field named `([^`]+)`/),
  createMissingSymbolRule(/error\[E0(?:407|576|599|609|610)\]: [^`\n]*`([^`]+)`/),
  createMissingSymbolRule(/error\[E0583\]: file not found for module `([^`]+)`/),
  createMissingSymbolRule(/error\[E0463\]: can't find crate for `([^`]+)`/),
  createMissingSymbolRule(/error: cannot find (?:macro|attribute|derive macro) `([^`]+)`/),
];

const RUST_TEST_FAILURES: readonly FailureRule[] = [
  createAssertionRule(/panicked at [^\n]*:\nassertion\b/),
  createAssertionRule(/^(?:test did not panic as expected|panic did not contain expected string)/m),
];

/** Some runners report load failures and test failures in different formats. */
const FAILURE_RULES: Readonly<
  Record<TestFormat, { readonly load: readonly FailureRule[]; readonly test: readonly FailureRule[] }>
> = {
  "vitest-json": { load: JAVASCRIPT_FAILURES, test: JAVASCRIPT_FAILURES },
  "jest-json": { load: JAVASCRIPT_FAILURES, test: JAVASCRIPT_FAILURES },
  "junit-xml": {
    load: [...PYTHON_FAILURES, ...JAVASCRIPT_FAILURES],
    test: [...PYTHON_FAILURES, ...JAVASCRIPT_FAILURES],
  },
  "go-json": { load: GO_BUILD_FAILURES, test: GO_TEST_FAILURES },
  "libtest-json": { load: RUST_BUILD_FAILURES, test: RUST_TEST_FAILURES },
};

export function classifyTestFailure(format: TestFormat, failure: TestOutcome | LoadFailure): FailureReason {
  const said = (failure.message ?? "").replace(/^failed on (?:setup|teardown) with "/, "");
  const rules = FAILURE_RULES[format]["status" in failure ? "test" : "load"];
  const reason = rules.find(({ when }) => when.test(said))?.reason ?? "error";
  const symbol = reason === "missing-symbol" ? findMissingSymbol(rules, said) : undefined;
  return symbol === undefined ? { reason } : { reason, symbol };
}

/** A compiler may report several missing symbols; the first in the text counts. */
function findMissingSymbol(rules: readonly FailureRule[], said: string): string | undefined {
  const found = rules
    .filter(({ reason }) => reason === "missing-symbol")
    .map(({ when }) => when.exec(said))
    .filter((match) => match !== null);
  return found.toSorted((a, b) => a.index - b.index)[0]?.[1];
}
