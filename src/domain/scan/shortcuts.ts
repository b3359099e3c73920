import type { Look, Span } from "./look.ts";
import { innermost } from "./nesting.ts";
import { isTestLine, testPartsIn } from "./test-files.ts";

export interface Shortcut {
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
const ALLOWED = /\btenon-allow:[ \t]*([^\s*].*)/;

export const allowanceIn = (comment: string): string | undefined => ALLOWED.exec(comment)?.[1]?.trim();

export function shortcutsIn(look: Look, rules: ShortcutRules): Shortcut[] {
  const parts = testPartsIn(look);
  const isTest = (line: number): boolean => rules.isTest || isTestLine(parts, line);
  const allowed = allowedLines(look);
  const all = [
    ...markers(look),
    ...placeholders(look),
    ...stops(look),
    ...[...printed(look), ...silenced(look)].filter(({ line }) => !isTest(line)),
    ...(rules.forbidsAny ? anys(look).filter(({ line }) => !isTest(line)) : []),
  ];
  return all
    .filter(({ line }) => rules.changed?.has(line) !== false && !allowed.has(line) && !allowed.has(line - 1))
    .toSorted((one, other) => one.line - other.line);
}

function allowedLines(look: Look): ReadonlySet<number> {
  return new Set(linesOf(look.comments).flatMap(({ line, text }) => (allowanceIn(text) === undefined ? [] : [line])));
}

const linesOf = (spans: readonly Span[]): { line: number; text: string }[] =>
  spans.flatMap((span) => span.text.split("\n").map((text, at) => ({ line: span.line + at, text })));

/** Capitals count anywhere in a comment; lower case only at the start of a line: `todo: rename`. */
const LOUD = /(?<![\w-])(?:TODO|FIXME|XXX|HACK)(?![\w-])/;
const QUIET = /(?<=^[\s/*#;%<!-]*)(?:todo|fixme|xxx|hack)(?=\s*[:(])/i;

function markers(look: Look): Shortcut[] {
  return linesOf(look.comments).flatMap(({ line, text }): Shortcut[] => {
    const found = LOUD.exec(text) ?? QUIET.exec(text);
    return found === null ? [] : [{ kind: "marker", line, text: found[0] }];
  });
}

/**
 * Comments that turn a tool off for a whole file, or exclude code from coverage. Turning off a single named rule does
 * not count.
 */
const SILENCES = [
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

function silenced(look: Look): Shortcut[] {
  return linesOf(look.comments).flatMap(({ line, text }): Shortcut[] => {
    const found = SILENCES.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    return found ? [{ kind: "silenced", line, text: found[0] }] : [];
  });
}

const UNWRITTEN = /\bNotImplemented(?:Error|Exception)?\b|\b(?:not (?:yet )?implemented|unimplemented|todo)\b/i;

/** Code that is marked as not implemented. Abstract methods are exempt. */
function placeholders(look: Look): Shortcut[] {
  const called = look.calls.filter(({ text, argument = "" }) => {
    if (look.language === "rust") return /^(?:std::|core::)?(?:todo|unimplemented)!$/.test(text);
    if (look.language === "go") return text === "panic" && UNWRITTEN.test(argument);
    return look.language === "ruby" && text === "raise" && /^NotImplementedError\b/.test(argument);
  });
  const thrown = look.signs.filter(({ kind, text }) => kind === "throw" && UNWRITTEN.test(text));
  const where = innermost(thrown, look.definitions);
  const own = thrown.filter((sign) => where.get(sign)?.marks.some((mark) => /\babstract/.test(mark)) !== true);
  return [...called, ...own].map(({ line, text }) => ({ kind: "placeholder", line, text: firstLine(text) }));
}

const firstLine = (text: string): string => text.split("\n", 1)[0]?.slice(0, 120) ?? "";

const JAVASCRIPT = /^(?:javascript|typescript|tsx)$/;
const PRINTS: readonly (readonly [language: RegExp, call: RegExp])[] = [
  [JAVASCRIPT, /^(?:(?:globalThis|window)\.)?console\.(?:log|debug|dir|table|trace)$/],
  [/^python$/, /^(?:builtins\.)?p?print$|^pprint\.pprint$/],
  [/^rust$/, /^(?:std::)?dbg!$/],
];
/** These halt the program, so tests must not contain them either. */
const STOPS = /^(?:breakpoint|i?pdb\.set_trace|pdb\.post_mortem)$/;

/** Debug output. Go and other languages use the same functions for regular output, so they are not checked. */
function printed(look: Look): Shortcut[] {
  const row = PRINTS.find(([language]) => language.test(look.language));
  if (row === undefined) return [];
  return look.calls
    .filter(({ text }) => row[1].test(text))
    .map(({ line, text }) => ({ kind: "debugging", line, text }));
}

function stops(look: Look): Shortcut[] {
  const calls = look.language === "python" ? look.calls.filter(({ text }) => STOPS.test(text)) : [];
  return [...calls, ...look.signs.filter(({ kind }) => kind === "debugger")].map(({ line, text }) => ({
    kind: "debugging",
    line,
    text: text.replace(/;$/, ""),
  }));
}

const anys = (look: Look): Shortcut[] =>
  look.signs.filter(({ kind }) => kind === "any").map(({ line }) => ({ kind: "any", line, text: "any" }));
