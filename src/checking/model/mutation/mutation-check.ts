import words from "./mutation-words.json" with { type: "json" };
import { isSameTestName } from "../gate/test-evidence.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { TestReport } from "../report/test-report.ts";
import { type CodeScan, type ScanSpan, findInnermostSpans } from "#code/model/scan/code-scan.ts";
import { type SpecTag, findSpecTags } from "#code/model/scan/spec-tags.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { isTestLine, findTestSections } from "#code/model/scan/test-files.ts";
import type { MutationSite, MutationKind } from "#code/model/mutation-site.ts";

/** `survived`: no test of the criterion failed. `invalid`: nothing built or ran. `endless` counts as noticed. */
type MutationOutcome = "detected" | "survived" | "invalid" | "endless";

export interface MutationTrial {
  readonly mutation: Mutation;
  readonly fate: MutationOutcome;
}

export function classifyMutationRun(
  report: TestReport | "endless" | undefined,
  targets: readonly TargetTest[],
  mayHold: (told: string, path: string) => boolean,
): MutationOutcome {
  if (report === "endless") return "endless";
  if (report === undefined) return "invalid";
  const outcomes = report.tests.filter(({ file, name }) =>
    targets.some(
      (target) => mayHold(file, target.file) && (target.name === undefined || isSameTestName(target.name, name)),
    ),
  );
  if (outcomes.some(({ status }) => status === "failed")) return "detected";
  const isUnloaded = report.failures.some(({ file }) => targets.some((target) => mayHold(file, target.file)));
  return isUnloaded || !outcomes.some(({ status }) => status === "passed") ? "invalid" : "survived";
}

export const describeSurvivor = (name: string, before: string, after: string): string =>
  `no test of ${name} fails when \`${sanitizeText(before, 120)}\` is \`${sanitizeText(after, 120)}\``;

export type MutationSummary = ReturnType<typeof summarizeMutations>;

export function summarizeMutations(tried: readonly MutationTrial[], all: number) {
  const count = (...fates: readonly MutationOutcome[]): number =>
    tried.filter(({ fate }) => fates.includes(fate)).length;
  return {
    tried: tried.length,
    detected: count("detected", "endless"),
    invalid: count("invalid"),
    /** Possible mutations that were not tried, for lack of time or because of the limit. */
    left: all - tried.length,
    survivors: tried.filter(({ fate }) => fate === "survived").map(({ mutation }) => mutation),
  };
}

export interface Mutation {
  readonly path: string;
  readonly kind: MutationKind;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly after: string;
  readonly shown: { readonly before: string; readonly after: string };
}

const OPERATOR_SWAPS: ReadonlyMap<string, string> = new Map(
  words.swaps.flatMap(([one = "", other = ""]) => [
    [one, other],
    [other, one],
  ]),
);
/** A value that a function of any type may return instead, by language. */
const EMPTY_VALUES: Readonly<Partial<Record<string, string>>> = words.emptyValues;
const EMPTY_STATEMENTS: Readonly<Partial<Record<string, string>>> = words.emptyStatements;

interface MutableFile {
  readonly path: string;
  readonly text: string;
  readonly language: string;
}

/** Each alone makes the code wrong. */
const SINGLE_KINDS: readonly MutationKind[] = [
  ...(["comparison", "arithmetic", "logic", "boolean", "number", "condition", "return", "call"] as const),
];

export function createMutations(
  file: MutableFile,
  sites: readonly MutationSite[],
  lines: readonly LineRange[],
  kinds = SINGLE_KINDS,
): Mutation[] {
  const isTraced = (line: number): boolean => lines.some((part) => line >= part.line && line <= part.lastLine);
  return sites.flatMap((site) => {
    const after = kinds.includes(site.kind) && isTraced(site.line) ? chooseReplacement(site, file) : undefined;
    if (after === undefined) return [];
    const { kind, line, start, end } = site;
    const from = file.text.lastIndexOf("\n", start - 1) + 1;
    const showLine = (text: string): string => (text.slice(from).split("\n", 1)[0] ?? "").trim().slice(0, 120);
    const shown = {
      before: showLine(file.text),
      after: showLine(applyMutation(file.text, { start, end, after })),
    };
    return [{ path: file.path, kind, line, start, end, after, shown }];
  });
}

function chooseReplacement(site: MutationSite, { text, language }: MutableFile): string | undefined {
  switch (site.kind) {
    case "arithmetic":
      return isBesideString(text, site) ? undefined : OPERATOR_SWAPS.get(site.text);
    case "comparison":
    case "logic":
    case "boolean":
      return OPERATOR_SWAPS.get(site.text);
    case "number": {
      const [, digits, suffix = ""] = /^([0-9]{1,15})(n|[iu](?:8|16|32|64|128|size))?$/.exec(site.text) ?? [];
      return digits === undefined ? undefined : `${Number(digits) + 1}${suffix}`;
    }
    case "condition":
      return negateCondition(site.text, language);
    case "string":
      return /^([\s\S]*?)("""|'''|["'`])$/.exec(site.text)?.slice(1).join("~");
    case "body":
    case "assignment":
    case "return":
      return /^(?:undefined|null|None|nil|void 0)$/.test(site.text) ? undefined : EMPTY_VALUES[language];
    case "call":
      return LOGGING_CALL.test(site.text) ? undefined : EMPTY_STATEMENTS[language];
  }
}

/** Logging belongs to no criterion. Without `super` nothing runs at all. */
const LOGGING_CALL = /^(?:await\s+)?(?:console|logger|logging|log|slog|tracing|fmt)\b|^(?:p?print|super|puts|echo)\b/i;

/** `+` then joins strings. */
const isBesideString = (text: string, { start, end }: MutationSite): boolean =>
  /["'`]\s*$/.test(text.slice(Math.max(0, start - 20), start)) || /^\s*[frbu]?["'`]/.test(text.slice(end, end + 20));

function negateCondition(condition: string, language: string): string | undefined {
  if (language === "python") return `not (${condition})`;
  if (/^let\b|&&\s*let\b/.test(condition)) return undefined;
  // The parentheses may be part of the condition's syntax, so they are kept.
  return /^\([^]*\)$/.test(condition) ? `(!${condition})` : `!(${condition})`;
}

export const applyMutation = (text: string, { start, end, after }: Pick<Mutation, "start" | "end" | "after">): string =>
  text.slice(0, start) + after + text.slice(end);

/** First one per line, then more. The order depends only on the seed, so equal code gets equal mutations. */
export function sampleMutations<T extends Mutation>(all: readonly T[], most: number, seed: string): T[] {
  const next = createSeededRandom(seed);
  const shuffled = all.map((mutation) => ({ mutation, at: next() })).toSorted((one, other) => one.at - other.at);
  const lines = Map.groupBy(shuffled, ({ mutation: { path, line } }) => `${path}:${line}`);
  const turns = new Map([...lines.values()].flatMap((same) => same.map(({ mutation }, turn) => [mutation, turn])));
  return shuffled
    .map(({ mutation }) => mutation)
    .toSorted((one, other) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0))
    .slice(0, most);
}

/** Pseudo-random numbers from 0 to 1: FNV-1a of the seed, then mulberry32. */
function createSeededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An acceptance criterion, or the code and tests of a spec that name no criterion. */
export interface CriterionTarget {
  readonly spec: string;
  readonly criterion?: string | undefined;
}

export const formatCriterionTarget = ({ spec, criterion }: CriterionTarget): string =>
  criterion === undefined ? spec : `${spec}.${criterion}`;

/** Kinds that are applied together. Several rounds at once may cancel each other out: `!(a) ? false : true`. */
export const BREAKING_ROUNDS: readonly (readonly MutationKind[])[] = [
  ["condition", "comparison"],
  ["arithmetic"],
  ["return", "body", "assignment", "string", "boolean", "number", "call"],
];
/** The rounds that change what is computed; the last one drops results altogether. */
export const FLIPPING_ROUNDS = 2;
/** All flips at once may give the same answer by accident, so these are tried alone before a test is refused. */
export const SINGLE_ROUNDS: readonly { readonly kinds: readonly MutationKind[]; readonly only?: RegExp }[] = [
  { kinds: ["boolean"], only: /^true$/i },
  { kinds: ["boolean"], only: /^false$/i },
  { kinds: ["logic"] },
];
/** A moved boundary is noticed only by a test of the boundary. */
const NEGATED_COMPARISONS: ReadonlyMap<string, string> = new Map(
  words.negations.map(([one = "", other]) => [one, other ?? ""]),
);

/** Of nested ones the outermost. Calculations change only where nothing is compared: `a - b <= 0` may still hold. */
export function applyAllMutations(text: string, all: readonly Mutation[]): string {
  const isFlip = ({ kind }: Mutation): boolean => kind === "condition" || kind === "comparison";
  const used = all.some(isFlip) ? all.filter(({ kind }) => kind !== "arithmetic") : all;
  const strong = used.map((one) => {
    const after = one.kind === "comparison" ? NEGATED_COMPARISONS.get(text.slice(one.start, one.end)) : undefined;
    return after === undefined ? one : { ...one, after };
  });
  const outer = strong.filter(
    (one) => !strong.some((other) => other !== one && other.start <= one.start && other.end >= one.end),
  );
  return outer.toSorted((one, other) => other.start - one.start).reduce(applyMutation, text);
}

export interface LineRange {
  readonly line: number;
  readonly lastLine: number;
}

/** The criteria named in the file's code; the spec itself for a tag without a criterion. */
export const listCriterionTargets = (look: CodeScan, spec: string): CriterionTarget[] => {
  const tags = listCodeTags(look).filter((tag) => tag.spec === spec);
  return [...new Set(tags.map(({ criterion }) => criterion))].map((criterion) => ({ spec, criterion }));
};

/** The function or class below the tag, else around it, else the whole file. Tests are excluded. */
export function findCriterionLines(look: CodeScan, aim: CriterionTarget): LineRange[] {
  const parts = findTestSections(look);
  return listCodeTags(look)
    .filter(({ spec, criterion }) => spec === aim.spec && criterion === aim.criterion)
    .flatMap((tag) => subtractLineRanges(findTaggedPart(look, tag.line) ?? { line: 1, lastLine: Infinity }, parts));
}

function listCodeTags(look: CodeScan): SpecTag[] {
  const parts = findTestSections(look);
  return findSpecTags(look).filter(({ line }) => !isTestLine(parts, line));
}

/** The definition on the same or the next line, below further comments, else the one around the tag. */
export function findTaggedPart(look: CodeScan, line: number): LineRange | undefined {
  const comment = findCommentAround(look, line);
  if (comment === undefined) return undefined;
  const last = findCommentBlockEnd(look, comment);
  const below = look.definitions.find((each) => each.start >= comment.end && each.line <= last + 1);
  return below ?? findInnermostSpans([comment], look.definitions).get(comment);
}

export const findCommentAround = (look: CodeScan, line: number): ScanSpan | undefined =>
  look.comments.find((each) => each.line <= line && line <= each.lastLine);

/** Comments on consecutive lines form one block. */
export function findCommentBlockEnd(look: CodeScan, comment: ScanSpan): number {
  let last = comment.lastLine;
  for (const other of look.comments) {
    if (other.start > comment.start && other.line === last + 1) last = other.lastLine;
  }
  return last;
}

export function subtractLineRanges(lines: LineRange, parts: readonly LineRange[]): LineRange[] {
  let rest = [lines];
  for (const part of parts) {
    rest = rest.flatMap(({ line, lastLine }) =>
      [
        { line, lastLine: Math.min(lastLine, part.line - 1) },
        { line: Math.max(line, part.lastLine + 1), lastLine },
      ].filter((piece) => piece.line <= piece.lastLine),
    );
  }
  return rest;
}

/** A test tagged with a spec; without a name, every test of the file. */
export interface TargetTest {
  readonly file: string;
  readonly name?: string;
}

/** Those that contain the tag or follow it, else all tests of the file. In a source file, its inline tests. */
export function findTargetTests(file: string, look: CodeScan, aim: CriterionTarget, isTest: boolean): TargetTest[] {
  const cases = findTestCases(look);
  const parts = findTestSections(look);
  const tags = findSpecTags(look).filter(
    ({ spec, criterion, line }) =>
      spec === aim.spec &&
      (aim.criterion === undefined || criterion === aim.criterion) &&
      (isTest || isTestLine(parts, line)),
  );
  return tags.flatMap((tag): TargetTest[] => {
    const comment = findCommentAround(look, tag.line);
    const last = comment === undefined ? tag.line : findCommentBlockEnd(look, comment);
    const under = cases.filter(({ line }) => line > tag.line && line <= last + 1);
    const around = cases.filter(({ line, lastLine }) => line <= tag.line && tag.line <= lastLine).slice(-1);
    const named = under.length > 0 ? under : around;
    return named.length === 0 ? [{ file }] : named.map(({ name }) => ({ file, name }));
  });
}
