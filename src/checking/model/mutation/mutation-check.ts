import { isSameTestName } from "../gate/test-evidence.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { TestOutcome, TestReport } from "../report/test-report.ts";
import type { TargetTest, LineRange } from "./criterion-code.ts";
import type { MutationSite, MutationKind } from "#code/model/mutation-site.ts";

/**
 * `bitten`: a test of the criterion failed. `survived`: none failed. `unfit`: the code did not build or none of the
 * tests ran, which proves nothing. `endless`: the tests did not finish, which counts as noticed.
 */
type MutationOutcome = "bitten" | "survived" | "unfit" | "endless";

export interface MutationTrial {
  readonly mutation: Mutation;
  readonly fate: MutationOutcome;
}

export interface MutationSummary {
  readonly tried: number;
  readonly bitten: number;
  readonly unfit: number;
  /** Possible mutations that were not tried, for lack of time or because of the limit. */
  readonly left: number;
  readonly survivors: readonly Mutation[];
}

type FileReportPredicate = (told: string, path: string) => boolean;

export function classifyMutationRun(
  report: TestReport | "endless" | undefined,
  targets: readonly TargetTest[],
  mayHold: FileReportPredicate,
): MutationOutcome {
  if (report === "endless") return "endless";
  if (report === undefined) return "unfit";
  const outcomes = report.tests.filter((outcome) => isTargetOutcome(outcome, targets, mayHold));
  if (outcomes.some(({ status }) => status === "failed")) return "bitten";
  const isUnloaded = report.failures.some(({ file }) => targets.some((target) => mayHold(file, target.file)));
  return isUnloaded || !outcomes.some(({ status }) => status === "passed") ? "unfit" : "survived";
}

export const describeSurvivor = (name: string, before: string, after: string): string =>
  `no test of ${name} fails when \`${sanitizeText(before, 120)}\` is \`${sanitizeText(after, 120)}\``;

export function summarizeMutations(tried: readonly MutationTrial[], all: number): MutationSummary {
  const count = (...fates: readonly MutationOutcome[]): number =>
    tried.filter(({ fate }) => fates.includes(fate)).length;
  return {
    tried: tried.length,
    bitten: count("bitten", "endless"),
    unfit: count("unfit"),
    left: all - tried.length,
    survivors: tried.filter(({ fate }) => fate === "survived").map(({ mutation }) => mutation),
  };
}

const isTargetOutcome = (
  { file, name }: Pick<TestOutcome, "file" | "name">,
  targets: readonly TargetTest[],
  mayHold: FileReportPredicate,
): boolean =>
  targets.some(
    (target) => mayHold(file, target.file) && (target.name === undefined || isSameTestName(target.name, name)),
  );

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
  [
    ["<", "<="],
    [">", ">="],
    ["==", "!="],
    ["===", "!=="],
    ["is", "is not"],
    ["in", "not in"],
    ["+", "-"],
    ["*", "/"],
    ["+=", "-="],
    ["*=", "/="],
    ["&&", "||"],
    ["and", "or"],
    ["true", "false"],
    ["True", "False"],
  ].flatMap(([one = "", other = ""]) => [
    [one, other],
    [other, one],
  ]),
);

/** A value that a function of any type may return instead. */
const EMPTY_VALUES: Readonly<Partial<Record<string, string>>> = {
  javascript: "undefined",
  php: "null",
  python: "None",
  ruby: "nil",
  rust: "Default::default()",
  tsx: "undefined",
  typescript: "undefined",
};
const EMPTY_STATEMENTS: Readonly<Partial<Record<string, string>>> = {
  go: "_ = 0",
  javascript: "void 0",
  php: "null",
  python: "pass",
  ruby: "nil",
  rust: "()",
  tsx: "void 0",
  typescript: "void 0",
};

interface MutableFile {
  readonly path: string;
  readonly text: string;
  readonly language: string;
}

export function createMutations(
  file: MutableFile,
  sites: readonly MutationSite[],
  lines: readonly LineRange[],
): Mutation[] {
  const isTraced = (line: number): boolean => lines.some((part) => line >= part.line && line <= part.lastLine);
  return sites.flatMap((site) => {
    const after = isTraced(site.line) ? chooseReplacement(site, file) : undefined;
    if (after === undefined) return [];
    const { kind, line, start, end } = site;
    return [
      { path: file.path, kind, line, start, end, after, shown: showMutatedLine(file.text, { start, end, after }) },
    ];
  });
}

function chooseReplacement(site: MutationSite, { text, language }: MutableFile): string | undefined {
  switch (site.kind) {
    case "arithmetic":
      return isStringConcatenation(text, site) ? undefined : OPERATOR_SWAPS.get(site.text);
    case "comparison":
    case "logic":
    case "boolean":
      return OPERATOR_SWAPS.get(site.text);
    case "number":
      return incrementNumber(site.text);
    case "condition":
      return negateCondition(site.text, language);
    case "return":
      return /^(?:undefined|null|None|nil|void 0)$/.test(site.text) ? undefined : EMPTY_VALUES[language];
    case "call":
      return LOGGING_CALL.test(site.text) ? undefined : EMPTY_STATEMENTS[language];
  }
}

/** Logging belongs to no criterion. Without `super` nothing runs at all. */
const LOGGING_CALL = /^(?:await\s+)?(?:console|logger|logging|log|slog|tracing|fmt)\b|^(?:p?print|super|puts|echo)\b/i;

const isStringConcatenation = (text: string, { start, end }: MutationSite): boolean =>
  /["'`]\s*$/.test(text.slice(Math.max(0, start - 20), start)) || /^\s*[frbu]?["'`]/.test(text.slice(end, end + 20));

function incrementNumber(number: string): string | undefined {
  const match = /^([0-9]{1,15})(n|[iu](?:8|16|32|64|128|size))?$/.exec(number);
  return match === null ? undefined : `${Number(match[1]) + 1}${match[2] ?? ""}`;
}

function negateCondition(condition: string, language: string): string | undefined {
  if (language === "python") return `not (${condition})`;
  if (/^let\b|&&\s*let\b/.test(condition)) return undefined;
  // The parentheses may be part of the condition's syntax, so they are kept.
  return /^\([^]*\)$/.test(condition) ? `(!${condition})` : `!(${condition})`;
}

export const applyMutation = (text: string, { start, end, after }: Pick<Mutation, "start" | "end" | "after">): string =>
  text.slice(0, start) + after + text.slice(end);

function showMutatedLine(text: string, change: Pick<Mutation, "start" | "end" | "after">): Mutation["shown"] {
  const from = text.lastIndexOf("\n", change.start - 1) + 1;
  const line = (whole: string): string => (whole.slice(from).split("\n", 1)[0] ?? "").trim().slice(0, 120);
  return { before: line(text), after: line(applyMutation(text, change)) };
}

/**
 * Limits the mutations: first one per line, then more. The order depends only on the seed, so the same code gets the
 * same mutations every time.
 */
export function sampleMutations(all: readonly Mutation[], most: number, seed: string): Mutation[] {
  const next = createSeededRandom(seed);
  const shuffled = all.map((mutation) => ({ mutation, at: next() })).toSorted((one, other) => one.at - other.at);
  const turns = new Map<string, number>();
  return shuffled
    .map(({ mutation }) => {
      const place = `${mutation.path}:${mutation.line}`;
      const turn = turns.get(place) ?? 0;
      turns.set(place, turn + 1);
      return { mutation, turn };
    })
    .toSorted((one, other) => one.turn - other.turn)
    .slice(0, most)
    .map(({ mutation }) => mutation);
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
