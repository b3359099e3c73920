import type { LoadFailure, TestFormat, TestOutcome } from "./tests.ts";

/**
 * `missing-symbol`: the code under test does not exist yet. `syntax`: a file does not parse. `error`: anything else.
 */
export interface Why {
  readonly reason: "assertion" | "missing-symbol" | "syntax" | "error";
  /** The missing name or module, if the runner reports it. */
  readonly symbol?: string;
}

interface Rule {
  readonly reason: Why["reason"];
  /** The capture group is the symbol. */
  readonly when: RegExp;
}

const missing = (when: RegExp): Rule => ({ reason: "missing-symbol", when });
const syntax = (when: RegExp): Rule => ({ reason: "syntax", when });
const assertion = (when: RegExp): Rule => ({ reason: "assertion", when });
const other = (when: RegExp): Rule => ({ reason: "error", when });

/** The first matching rule decides. */
const JAVASCRIPT: readonly Rule[] = [
  missing(/^SyntaxError: .{0,300}does not provide an export named '([^']+)'/),
  other(/^SyntaxError: .{0,300}JSON/),
  syntax(/^(?:SyntaxError\b|Transform failed with|Jest encountered an unexpected token|Parse failure|Failed to parse)/),
  syntax(/^.{0,200}\[PARSE_ERROR\]/),
  missing(/^(?:Error: )?Failed to (?:resolve import|load url) "?([^\s"]+)/),
  missing(/^(?:Error: )?(?:\[[A-Z_]+\]: )?Cannot find (?:module|package) '([^']+)'/),
  missing(/^(?:Error: )?\[vitest\] No "([^"]+)" export is defined on/),
  missing(/^(?:Error: )?Element type is invalid: .{0,300} but got: undefined/),
  missing(/^(?:ReferenceError: )?([\w$]+) is not defined(?:\n|$)/),
  missing(/^(?:TypeError: )?\(0 ?, ?[\w$]+\.([\w$.]+)\) is not a (?:function|constructor)/),
  missing(
    /^(?:TypeError: )?(?:__vi_import_\d+__\.|__vite_ssr_import_\d+__\.)?([\w$.]+) is not a (?:function|constructor)/,
  ),
  assertion(/^(?:\w*AssertionError|TestingLibraryElementError)\b/),
  assertion(/^(?:Error: )?(?:expect\(|expect\.|assert\.\w+\(received|expected number of assertions|Snapshot `)/),
  assertion(/^(?:Error: )?promise (?:resolved|rejected) .{0,300} instead of (?:rejecting|resolving)/),
];

const PYTHON: readonly Rule[] = [
  syntax(/(?:^|\n)(?:SyntaxError|IndentationError|TabError): /),
  missing(/(?:^|\n)ModuleNotFoundError: No module named '([^']+)'/),
  missing(/(?:^|\n)ImportError: cannot import name '([^']+)'/),
  other(/(?:^|\n)AttributeError: 'NoneType' object has no attribute/),
  missing(/(?:^|\n)AttributeError: .{0,200} has no attribute '([^']+)'/),
  missing(/(?:^|\n)NameError: name '([^']+)' is not defined/),
  assertion(/^(?:AssertionError\b|assert |Failed: )/),
  assertion(/:\d+: (?:AssertionError|Failed)$/),
];

const GO_BUILD: readonly Rule[] = [
  syntax(
    /^\S+:\d+:\d+: (?:syntax error|illegal character|expected (?:'|operand|declaration|statement|type|expression|\d))/m,
  ),
  syntax(/^\S+:\d+:\d+: (?:missing '|missing return type|.{0,60}not terminated)/m),
  missing(/^\S+:\d+:\d+: undefined: (\S+)/m),
  missing(/^\S+:\d+:\d+: (\S{1,200}) undefined \(type /m),
  missing(/^\S+:\d+:\d+: unknown field (\S+) in struct literal/m),
  missing(/^\S+:\d+:\d+: name (\S+) not exported by package/m),
  missing(/^\S+:\d+:\d+: no required module provides package ([^\s;]+)/m),
  missing(/^\S+:\d+:\d+: (?:package|cannot find package) "?([^\s"]+)"? (?:is not in std|in any of)/m),
];

const GO_TEST: readonly Rule[] = [
  other(/^(?:It began and never ended\.|panic: |fatal error: )/m),
  // Only the test itself can make it fail otherwise.
  assertion(/^/),
];

const RUST_BUILD: readonly Rule[] = [
  syntax(
    /^\S+ error(?:\[E0(?:586|748|758|762|763|765|766)\])?: (?:expected|unexpected|unterminated|unclosed|mismatched)/m,
  ),
  syntax(/^\S+ error: (?:this file contains an un|unknown start of token|unknown character|missing|prefix|invalid)/m),
  missing(/error\[E0432\]: unresolved import `[^`]*`: no `([^`]+)` in/),
  missing(/error\[E0432\]: unresolved imports? `([^`]+)`/),
  missing(/error\[E0(?:404|405|412|423|425|433|531|573|574)\]: (?:cannot find|failed to resolve)[^`\n]*`([^`]+)`/),
  missing(/error\[E0(?:559|560)\]: [^\n]{0,200} has no field named `([^`]+)`/),
  missing(/error\[E0(?:407|576|599|609|610)\]: [^`\n]*`([^`]+)`/),
  missing(/error\[E0583\]: file not found for module `([^`]+)`/),
  missing(/error\[E0463\]: can't find crate for `([^`]+)`/),
  missing(/error: cannot find (?:macro|attribute|derive macro) `([^`]+)`/),
];

const RUST_TEST: readonly Rule[] = [
  assertion(/panicked at [^\n]*:\nassertion\b/),
  assertion(/^(?:test did not panic as expected|panic did not contain expected string)/m),
];

/** Some runners report load failures and test failures in different formats. */
const RULES: Readonly<Record<TestFormat, { readonly load: readonly Rule[]; readonly test: readonly Rule[] }>> = {
  "vitest-json": { load: JAVASCRIPT, test: JAVASCRIPT },
  "jest-json": { load: JAVASCRIPT, test: JAVASCRIPT },
  "junit-xml": { load: [...PYTHON, ...JAVASCRIPT], test: [...PYTHON, ...JAVASCRIPT] },
  "go-json": { load: GO_BUILD, test: GO_TEST },
  "libtest-json": { load: RUST_BUILD, test: RUST_TEST },
};

export function whyFailed(format: TestFormat, failure: TestOutcome | LoadFailure): Why {
  const said = (failure.message ?? "").replace(/^failed on (?:setup|teardown) with "/, "");
  const rules = RULES[format]["status" in failure ? "test" : "load"];
  const reason = rules.find(({ when }) => when.test(said))?.reason ?? "error";
  const symbol = reason === "missing-symbol" ? firstSymbol(rules, said) : undefined;
  return symbol === undefined ? { reason } : { reason, symbol };
}

/** A compiler may report several missing symbols; the first in the text counts. */
function firstSymbol(rules: readonly Rule[], said: string): string | undefined {
  const found = rules
    .filter(({ reason }) => reason === "missing-symbol")
    .map(({ when }) => when.exec(said))
    .filter((match) => match !== null);
  return found.toSorted((a, b) => a.index - b.index)[0]?.[1];
}
