import patterns from "./survey-patterns.json" with { type: "json" };
import { escapeUnprintable } from "#kernel/model/text-format.ts";
import { createLineCounter, listLineStarts } from "../scan/code-scan.ts";

export const FINDING_SECTIONS = patterns.sections;

export type CodeFindingKind = keyof typeof FINDING_SECTIONS;

export const FINDING_SECTION_NAMES: readonly string[] = [...new Set(Object.values(FINDING_SECTIONS))];

/** `declared` in a file for machines, `coded` in a framework's form, `named` only by a dependency or a symbol. */
type FindingBasis = "declared" | "coded" | "tested" | "named";

export type FindingConfidence = "high" | "medium" | "low";

type FindingLink = { readonly path: string; readonly line: number };

/** `of` is its owner, `says` has details, `by` is the framework or form that identified it. */
export type CodeFinding = FindingLink &
  Readonly<Record<"name" | "by" | "words", string>> &
  Readonly<{ kind: CodeFindingKind; of?: string; says?: string; basis: FindingBasis; also?: readonly FindingLink[] }>;

/** High: declared, or coded for a known framework. Medium: for an unknown one, or named by a test. Low: only a name. */
export function rateFindingConfidence(
  { basis, by }: Pick<CodeFinding, "basis" | "by">,
  frameworks: ReadonlySet<string>,
): FindingConfidence {
  if (basis === "declared" || (basis === "coded" && frameworks.has(by))) return "high";
  return basis === "named" ? "low" : "medium";
}

const MAX_CITATION_LENGTH = 160;

/** Quotes text of a file safely in our documents: one line, no active markup, no text that could pass for an id. */
export function citeFileText(text: string, longest = MAX_CITATION_LENGTH): string {
  const line = escapeUnprintable(text.replace(/\s+/g, " ").trim())
    .replaceAll("`", "'")
    .replaceAll("<!--", "<!-")
    .replace(/\b(N?FR|BR|TASK|ADR)-(?=\d)/g, "$1 ");
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line;
}

export const citeAsCode = (text: string): string => `\`${citeFileText(text)}\``;

export const formatFindingLink = ({ path, line }: FindingLink): string => `${citeFileText(path, 400)}:${line}`;

export const listFindingLinks = (finding: CodeFinding): FindingLink[] => [
  { path: finding.path, line: finding.line },
  ...(finding.also ?? []),
];

export type PatternHit = Readonly<{ group(n: number): string; lineOf(n: number): number; from: number; to: number }>;

/** `words` in the line prove it; by default its name. */
type FindingDetails = Readonly<{ of?: string | undefined; says?: string | undefined; words?: string }>;

type ModelColumn = Readonly<{
  type?: string | undefined;
  isRequired: boolean;
  isUnique: boolean;
  target?: string | undefined;
}>;

const MAX_PATTERN_HITS = 2_000;
/** Characters. A longer line is not hand-written code, and patterns take too long on it. */
const MAX_SCANNED_LINE = 1_000;
const MAX_BLOCK_LENGTH = 20_000;

/** The text of one file; every match knows its line. */
export class ScannedFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly #starts: readonly number[];
  /** The line of an offset, counted from 1. */
  readonly lineAt: (index: number) => number;
  readonly #hits = new Map<string, readonly PatternHit[]>();

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.lines = text.split("\n");
    this.#starts = listLineStarts(text);
    this.lineAt = createLineCounter(text, this.#starts);
  }

  /** Matches of a pattern with the flags `g` and `d`, cached per pattern. */
  hits(pattern: RegExp): readonly PatternHit[] {
    const known = this.#hits.get(pattern.source);
    if (known) return known;
    const hits: PatternHit[] = [];
    for (const match of this.text.matchAll(pattern)) {
      if (hits.length >= MAX_PATTERN_HITS) break;
      hits.push({
        group: (n) => match[n] ?? "",
        lineOf: (n) => this.lineAt(match.indices?.[n]?.[0] ?? match.index),
        from: match.index,
        to: match.index + match[0].length,
      });
    }
    this.#hits.set(pattern.source, hits);
    return hits;
  }

  /** Matches inside the block that opens at an offset. */
  hitsInBlock(pattern: RegExp, open: number): PatternHit[] {
    const end = findBlockEnd(this.text, open);
    return this.hits(pattern).filter(({ from }) => from > open && from < end);
  }

  by(by: string, basis: FindingBasis = "coded"): FindingSource {
    return new FindingSource(this, by, basis);
  }

  /** The line of a text at or after a line; that line itself where the text is absent. */
  lineWith(words: string, from = 1): number {
    const at = this.text.indexOf(words, this.#starts[from - 1] ?? 0);
    return at < 0 ? from : this.lineAt(at);
  }
}

export class FindingSource {
  readonly #sheet: ScannedFile;
  readonly #told: Pick<CodeFinding, "by" | "basis">;

  constructor(sheet: ScannedFile, by: string, basis: FindingBasis) {
    this.#sheet = sheet;
    this.#told = { by, basis };
  }

  find(kind: CodeFindingKind, name: string, line: number, details: FindingDetails = {}): CodeFinding {
    const { of, says, words = name } = details;
    const told = { ...(of ? { of } : {}), ...(says ? { says } : {}), ...this.#told };
    return { kind, name, ...told, path: this.#sheet.path, line, words: words.split("\n", 1)[0] ?? "" };
  }

  /** A finding named by a group of a match. */
  hit(kind: CodeFindingKind, hit: PatternHit, n = 1, details: FindingDetails = {}): CodeFinding {
    return this.find(kind, hit.group(n), hit.lineOf(n), details);
  }

  /** A finding about the whole file, located at its first non-blank line. */
  whole(kind: CodeFindingKind, name: string): CodeFinding {
    const { lines } = this.#sheet;
    const first = lines.findIndex((line) => line.trim() !== "");
    return this.find(kind, name, Math.max(0, first) + 1, { words: (lines[first] ?? "").trim().slice(0, 60) });
  }

  route(method: string, path: string, line: number, words: string, says?: string): CodeFinding {
    return this.find("route", `${method.toUpperCase()} ${path}`, line, { words, says });
  }

  column(of: string, name: string, line: number, { type, isRequired, isUnique, target }: ModelColumn): CodeFinding[] {
    return [
      this.find("field", name, line, { of, says: type }),
      ...(isRequired ? [this.find("rule", name, line, { of, says: "has a value" })] : []),
      ...(isUnique ? [this.find("rule", name, line, { of, says: "is unique" })] : []),
      ...(target === undefined ? [] : [this.find("relation", name, line, { of, says: target })]),
    ];
  }
}

export function joinRoutePaths(prefix: string, path: string): string {
  const whole = `${prefix.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`.replace(/(?<=.)\/$/, "");
  return whole.startsWith("/") ? whole : `/${whole}`;
}

/** A row of `survey-patterns.json` for the files whose paths match. */
export const compilePattern = <T extends { files: string; pattern: string }>({ files, pattern, ...row }: T) => ({
  ...row,
  files: new RegExp(files),
  pattern: new RegExp(pattern, "dgm"),
});

/** The first of these frameworks that the text imports. */
export const findImportedFramework = (text: string, frameworks: Readonly<Record<string, string>>): string | undefined =>
  Object.keys(frameworks).find((name) => new RegExp(frameworks[name] ?? "").test(text));

/** The rules that a declaration states, in words; `$1` is the value in the match. */
export const readRulePhrases = (text: string, library: keyof typeof patterns.rules): string[] =>
  patterns.rules[library].flatMap(({ pattern, says }) => {
    const match = new RegExp(pattern).exec(text);
    return match === null ? [] : [says.replace("$1", () => match[1] ?? "")];
  });

const COMMENT_LINE_PATTERNS: readonly (readonly [endings: RegExp, line: RegExp])[] = [
  [/\.(?:[cm]?[jt]sx?|go|rs|java|kt|kts|cs|php|prisma|gradle|scala|swift|dart)$/, /^[ \t]*(?:\/\/|\/?\*(?!\/)).*$/gm],
  [/\.(?:py|rb|ya?ml|toml|ex|exs|sh)$/, /^[ \t]*#(?!\[).*$/gm],
  // The marks that separate a migration from its reversal are comments too.
  [/\.sql$/, /--(?! *(?:\+goose|\+migrate|migrate:)).*$/gm],
];

/** Blanks comments, docstrings and overlong lines: code in them is an example. Positions stay the same. */
export function blankComments(path: string, text: string): string {
  const pattern = COMMENT_LINE_PATTERNS.find(([endings]) => endings.test(path))?.[1];
  const short = text.replace(/.+/g, (line) => (line.length > MAX_SCANNED_LINE ? " ".repeat(line.length) : line));
  if (pattern === undefined) return short;
  const quoted = path.endsWith(".py") ? ['"""', "'''"] : [];
  const blocks = pattern === COMMENT_LINE_PATTERNS[0]?.[1] ? [["/*", "*/"] as const] : [];
  let whole = short;
  for (const [open, close] of [...blocks, ...quoted.map((mark) => [mark, mark] as const)])
    whole = blankBlocks(whole, open, close);
  return whole.replace(pattern, (comment) => " ".repeat(comment.length));
}

/** Python's long strings, and comments that begin a line: elsewhere `/*` may be part of a string. */
function blankBlocks(text: string, open: string, close: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return parts.join("") + text.slice(at);
    const isBlock = open === close || /^[ \t]*$/.test(text.slice(text.lastIndexOf("\n", start - 1) + 1, start));
    const next = isBlock ? end + close.length : start + open.length;
    const block = text.slice(start, next);
    parts.push(text.slice(at, start), isBlock ? block.replace(/[^\n]/g, " ") : block);
    at = next;
  }
}

/** Or the end of the searched range. `next` ends the search where blocks of this kind do not nest. */
export function findBlockEnd(text: string, open: number, next = text.length): number {
  const mate = { "(": ")", "{": "}", "[": "]" }[text[open] ?? ""];
  const end = Math.min(next, open + MAX_BLOCK_LENGTH);
  let depth = 0;
  for (let at = open; at < end; at++) {
    if (text[at] === text[open]) depth++;
    else if (text[at] === mate && --depth === 0) return at;
  }
  return end;
}
