import { type CodeScan, type ScanSpan, findInnermostSpans } from "./code-scan.ts";
import { isTestLine, findTestSections } from "./test-files.ts";

type ShortcutKind = "marker" | "placeholder" | "debugging" | "any" | "silenced";
/** `allowed` is the reason, in a comment on its line or the line above, why it may stay. */
type CodeShortcut = Readonly<{ kind: ShortcutKind; line: number; text: string; allowed?: string | undefined }>;

/** In tests, printing and `any` are allowed. `changed` has the changed lines; undefined means all, as in a new file. */
export type ShortcutRules = Readonly<{
  isTest: boolean;
  forbidsAny: boolean;
  changed?: ReadonlySet<number> | undefined;
}>;

/** `tenon-allow: the command line prints its answer`. Without a reason it allows nothing. */
const ALLOWANCE_COMMENT = /\btenon-allow:[ \t]*([^\s*].*)/;

export function readAllowanceReason(comment: string): string | undefined {
  const reason = ALLOWANCE_COMMENT.exec(comment)?.[1]
    ?.replace(/\s*\*\/\s*$/, "")
    .trim();
  // One word, such as "ok", is not a reason.
  return reason !== undefined && /\S\s+\S/.test(reason) ? reason : undefined;
}

export function findCodeShortcuts(look: CodeScan, rules: ShortcutRules): CodeShortcut[] {
  const { language, calls, signs } = look;
  const parts = findTestSections(look);
  const allowed = new Map(
    splitSpanLines(look.comments).map(({ line, text }) => [line, readAllowanceReason(text)] as const),
  );
  const print = DEBUG_PRINT_CALLS.find(([pattern]) => pattern.test(language))?.[1];
  const stops = calls.filter(({ text }) => language === "python" && DEBUGGER_CALLS.test(text));
  const inProduct: CodeShortcut[] = [
    ...calls
      .filter(({ text }) => print?.test(text))
      .map(({ line, text }) => ({ kind: "debugging" as const, line, text })),
    ...findCommentMarks(look, "silenced", TOOL_SILENCERS),
    ...signs
      .filter(({ kind }) => rules.forbidsAny && kind === "any")
      .map(({ line }) => ({ kind: "any" as const, line, text: "any" })),
  ];
  const all: CodeShortcut[] = [
    ...findCommentMarks(look, "marker", TODO_MARKERS),
    ...findPlaceholderCode(look),
    ...[...stops, ...signs.filter(({ kind }) => kind === "debugger")].map(({ line, text }) => ({
      kind: "debugging" as const,
      line,
      text: text.replace(/;$/, ""),
    })),
    ...inProduct.filter(({ line }) => !rules.isTest && !isTestLine(parts, line)),
  ];
  return all
    .filter(({ line }) => rules.changed?.has(line) !== false)
    .map((each) => ({ ...each, allowed: allowed.get(each.line) ?? allowed.get(each.line - 1) }))
    .toSorted((one, other) => one.line - other.line);
}

const splitSpanLines = (spans: readonly ScanSpan[]): { line: number; text: string }[] =>
  spans.flatMap((span) => span.text.split("\n").map((text, at) => ({ line: span.line + at, text })));

/** Capitals count anywhere in a comment, except in a name ("a TODO item"); lower case only at the start of a line. */
const TODO_MARKERS = [
  /(?<!\b(?:an?|the|each|every|one|new|this|first|last|next) )(?<![\w-])(?:TODO|FIXME|XXX|HACK)(?![\w-])/,
  /(?<=^[\s/*#;%<!-]*)(?:@todo\b|(?:TBD|WIP)(?![\w-]))/,
  /(?<=^[\s/*#;%<!-]*)(?:todo|fixme|xxx|hack)(?=\s*[:(])/i,
];

/** For a whole file, or to exclude code from coverage. Turning off a single named rule does not count. */
const TOOL_SILENCERS = [
  /@ts-nocheck\b/,
  /\b(?:eslint|oxlint)-disable(?=\s*(?:\*\/|--|$))/,
  /\bbiome-ignore-all\b/,
  /\b(?:v8|c8|istanbul) ignore\b|\bnode:coverage (?:ignore|disable)\b/,
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
function findPlaceholderCode({ language, calls, signs, definitions }: CodeScan): CodeShortcut[] {
  const called = calls.filter(({ text, argument = "" }) => {
    if (language === "rust") return /^(?:std::|core::)?(?:todo|unimplemented)!$/.test(text);
    if (language === "go") return text === "panic" && NOT_IMPLEMENTED_TEXT.test(argument);
    return language === "ruby" && text === "raise" && /^NotImplementedError\b/.test(argument);
  });
  const thrown = signs.filter(({ kind, text }) => kind === "throw" && NOT_IMPLEMENTED_TEXT.test(text));
  const where = findInnermostSpans(thrown, definitions);
  const own = thrown.filter((sign) => where.get(sign)?.marks.some((mark) => /\babstract/.test(mark)) !== true);
  return [...called, ...own].map(({ line, text }) => {
    return { kind: "placeholder", line, text: text.split("\n", 1)[0]?.slice(0, 120) ?? "" };
  });
}

/** Go and other languages use the same functions for regular output, so they are not checked. */
const DEBUG_PRINT_CALLS: readonly (readonly [language: RegExp, call: RegExp])[] = [
  [/^(?:javascript|typescript|tsx)$/, /^(?:(?:globalThis|window)\.)?console\.(?:log|debug|dir|table|trace)$/],
  [/^python$/, /^(?:builtins\.)?p?print$|^pprint\.pprint$/],
  [/^rust$/, /^(?:std::)?dbg!$/],
];
/** These halt the program, so tests must not contain them either. */
const DEBUGGER_CALLS = /^(?:breakpoint|i?pdb\.set_trace|pdb\.post_mortem)$/;
