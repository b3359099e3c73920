import { type CodeScan, type ScanSpan, findInnermostSpans } from "./code-scan.ts";
import { isTestLine, findTestSections } from "./test-files.ts";

export interface CodeShortcut {
  readonly kind: "marker" | "placeholder" | "debugging" | "any" | "silenced";
  readonly line: number;
  readonly text: string;
}

export interface ShortcutRules {
  /** Whether the whole file belongs to tests, where printing and `any` are allowed. */
  readonly isTest: boolean;
  readonly forbidsAny: boolean;
  /** The lines that the workflow changed; undefined for all lines, as in a new file. */
  readonly changed?: ReadonlySet<number> | undefined;
}

/**
 * The reason why a line may stay: `tenon-allow: the command line prints its answer`. Without a reason it allows
 * nothing.
 */
const ALLOWANCE_COMMENT = /\btenon-allow:[ \t]*([^\s*].*)/;

export const readAllowanceReason = (comment: string): string | undefined =>
  ALLOWANCE_COMMENT.exec(comment)?.[1]?.trim();

export function findCodeShortcuts(look: CodeScan, rules: ShortcutRules): CodeShortcut[] {
  const parts = findTestSections(look);
  const isTest = (line: number): boolean => rules.isTest || isTestLine(parts, line);
  const allowed = new Set(
    splitSpanLines(look.comments).flatMap(({ line, text }) => (readAllowanceReason(text) === undefined ? [] : [line])),
  );
  const all = [
    ...findCommentMarks(look, "marker", TODO_MARKERS),
    ...findPlaceholderCode(look),
    ...findDebuggerStops(look),
    ...[...findDebugPrints(look), ...findCommentMarks(look, "silenced", TOOL_SILENCERS)].filter(
      ({ line }) => !isTest(line),
    ),
    ...look.signs
      .filter(({ kind, line }) => rules.forbidsAny && kind === "any" && !isTest(line))
      .map(({ line }) => ({ kind: "any" as const, line, text: "any" })),
  ];
  return all
    .filter(({ line }) => rules.changed?.has(line) !== false && !allowed.has(line) && !allowed.has(line - 1))
    .toSorted((one, other) => one.line - other.line);
}

const splitSpanLines = (spans: readonly ScanSpan[]): { line: number; text: string }[] =>
  spans.flatMap((span) => span.text.split("\n").map((text, at) => ({ line: span.line + at, text })));

/** Capitals count anywhere in a comment; lower case only at the start of a line: `todo: rename`. */
const TODO_MARKERS = [
  /(?<![\w-])(?:TODO|FIXME|XXX|HACK)(?![\w-])/,
  /(?<=^[\s/*#;%<!-]*)(?:todo|fixme|xxx|hack)(?=\s*[:(])/i,
];

/**
 * Comments that turn a tool off for a whole file, or exclude code from coverage. Turning off a single named rule does
 * not count.
 */
const TOOL_SILENCERS = [
  /@ts-nocheck\b/,
  /\b(?:eslint|oxlint)-disable(?=\s*(?:\*\/|--|$))/,
  /\bbiome-ignore-all\b/,
  /\b(?:v8|c8|istanbul) ignore\b/,
  /\bpragma: ?no ?cover\b/i,
  /\bmypy: ?ignore-errors\b/,
  /\b(?:ruff|flake8): ?noqa(?=\s*$)/i,
  /\bpylint: ?(?:skip-file|disable ?= ?all)\b/,
  /(?<=^\/\/ ?)nolint(?::all)?(?=\s*(?:\/\/|$))/,
];

function findCommentMarks(look: CodeScan, kind: CodeShortcut["kind"], patterns: readonly RegExp[]): CodeShortcut[] {
  return splitSpanLines(look.comments).flatMap(({ line, text }): CodeShortcut[] => {
    const found = patterns.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    return found ? [{ kind, line, text: found[0] }] : [];
  });
}

const NOT_IMPLEMENTED_TEXT =
  /\bNotImplemented(?:Error|Exception)?\b|\b(?:not (?:yet )?implemented|unimplemented|todo)\b/i;

/** Code that is marked as not implemented. Abstract methods are exempt. */
function findPlaceholderCode(look: CodeScan): CodeShortcut[] {
  const called = look.calls.filter(({ text, argument = "" }) => {
    if (look.language === "rust") return /^(?:std::|core::)?(?:todo|unimplemented)!$/.test(text);
    if (look.language === "go") return text === "panic" && NOT_IMPLEMENTED_TEXT.test(argument);
    return look.language === "ruby" && text === "raise" && /^NotImplementedError\b/.test(argument);
  });
  const thrown = look.signs.filter(({ kind, text }) => kind === "throw" && NOT_IMPLEMENTED_TEXT.test(text));
  const where = findInnermostSpans(thrown, look.definitions);
  const own = thrown.filter((sign) => where.get(sign)?.marks.some((mark) => /\babstract/.test(mark)) !== true);
  return [...called, ...own].map(({ line, text }) => ({
    kind: "placeholder",
    line,
    text: text.split("\n", 1)[0]?.slice(0, 120) ?? "",
  }));
}

const JAVASCRIPT_LANGUAGES = /^(?:javascript|typescript|tsx)$/;
const DEBUG_PRINT_CALLS: readonly (readonly [language: RegExp, call: RegExp])[] = [
  [JAVASCRIPT_LANGUAGES, /^(?:(?:globalThis|window)\.)?console\.(?:log|debug|dir|table|trace)$/],
  [/^python$/, /^(?:builtins\.)?p?print$|^pprint\.pprint$/],
  [/^rust$/, /^(?:std::)?dbg!$/],
];
/** These halt the program, so tests must not contain them either. */
const DEBUGGER_CALLS = /^(?:breakpoint|i?pdb\.set_trace|pdb\.post_mortem)$/;

/** Debug output. Go and other languages use the same functions for regular output, so they are not checked. */
function findDebugPrints(look: CodeScan): CodeShortcut[] {
  const row = DEBUG_PRINT_CALLS.find(([language]) => language.test(look.language));
  if (row === undefined) return [];
  return look.calls
    .filter(({ text }) => row[1].test(text))
    .map(({ line, text }) => ({ kind: "debugging", line, text }));
}

function findDebuggerStops(look: CodeScan): CodeShortcut[] {
  const calls = look.language === "python" ? look.calls.filter(({ text }) => DEBUGGER_CALLS.test(text)) : [];
  return [...calls, ...look.signs.filter(({ kind }) => kind === "debugger")].map(({ line, text }) => ({
    kind: "debugging",
    line,
    text: text.replace(/;$/, ""),
  }));
}
