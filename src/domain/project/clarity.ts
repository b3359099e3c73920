import { DIMENSIONS, DIMENSION_NAMES, type Dimension } from "./vocabulary.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import type { Mode } from "./flow.ts";

const TOTAL_WEIGHT = Object.values(DIMENSIONS).reduce((sum, { weight }) => sum + weight, 0);
export const THRESHOLD: Readonly<Record<Mode, number>> = { guided: 70, expert: 50 };
/** A dimension below this score needs an answer, or a waiver with a reason. */
const HOLE = 30;
const MOST_USES = 2;
const SHORTEST_EVIDENCE = 12;
const SHORTEST_REASON = 8;

/** A score for one dimension. It counts only if the evidence is found in a source. */
export interface Claim {
  readonly dimension: Dimension;
  readonly score: number;
  readonly evidence?: string | undefined;
  readonly waiver?: string | undefined;
}

export interface Source {
  readonly name: string;
  readonly text: string;
}

export interface Assessed extends Claim {
  readonly counted: number;
  readonly found_in?: string;
}

export interface Assessment {
  readonly score: number;
  readonly threshold: number;
  readonly passed: boolean;
  readonly dimensions: readonly Assessed[];
  readonly problems: readonly Problem[];
}

export function assess(claims: readonly Claim[], sources: readonly Source[], mode: Mode): Assessment {
  const latest = new Map(claims.map((claim) => [claim.dimension, claim]));
  const searchable = sources.map(({ name, text }) => ({ name, text: bare(text) }));
  const quoted: Passage[] = [];
  const problems: Problem[] = [];
  const dimensions = DIMENSION_NAMES.map((dimension): Assessed => {
    // Drops `found_in` of earlier rounds: the source may have changed.
    const { score: said = 0, evidence, waiver } = latest.get(dimension) ?? {};
    const claim = { dimension, score: said, ...(evidence ? { evidence } : {}), ...(waiver ? { waiver } : {}) };
    const found = locate(claim, searchable, quoted, problems);
    const counted = found === undefined ? 0 : Math.min(100, Math.max(0, Math.floor(claim.score)));
    const assessed = { ...claim, counted, ...(found === undefined ? {} : { found_in: found }) };
    if (isHole(assessed)) problems.push(hole(assessed));
    return assessed;
  });
  const score = scoreOf(dimensions);
  const threshold = THRESHOLD[mode];
  if (score < threshold) problems.push({ problem: `The score is ${score}, and ${mode} mode asks for ${threshold}.` });
  return { score, threshold, passed: problems.length === 0, dimensions, problems };
}

export function scoreOf(dimensions: readonly Assessed[]): number {
  const sum = dimensions.reduce((total, { dimension, counted }) => total + counted * DIMENSIONS[dimension].weight, 0);
  return Math.floor(sum / TOTAL_WEIGHT);
}

export const isHole = (assessed: Assessed): boolean => assessed.counted < HOLE && !isWaived(assessed);

const QUESTIONS = Object.values(DIMENSIONS).map(({ asks }) => bare(asks));

interface Passage {
  readonly source: string;
  readonly from: number;
  readonly to: number;
}

function locate(claim: Claim, sources: readonly Source[], quoted: Passage[], problems: Problem[]): string | undefined {
  const { dimension, evidence = "", score } = claim;
  if (score === 0) return undefined;
  const words = bare(evidence);
  const shown = quote(evidence, 80);
  const refuse = (problem: string): undefined => {
    problems.push({ problem });
    return undefined;
  };
  if (words === "") {
    if (isWaived(claim)) return undefined;
    return refuse(`${dimension} has no evidence, so it counts 0: quote a document or an answer.`);
  }
  if (QUESTIONS.some((question) => question.includes(words)))
    return refuse(`The evidence for ${dimension} is a question of the gate, and no answer: ${shown}.`);
  if (/\b(?:tbd|tbc|todo|fixme|lorem)\b/.test(words))
    return refuse(`The evidence for ${dimension} says that it is open: ${shown}.`);
  if (!saysEnough(words))
    return refuse(`The evidence for ${dimension} says too little: ${shown}; quote three words at least.`);
  const found = sources.flatMap((source) => passageIn(source, words)).at(0);
  if (!found) return refuse(`The evidence for ${dimension} stands in no document and no answer: ${shown}.`);
  const overlapping = quoted.filter(
    ({ source, from, to }) => source === found.source && from < found.to && found.from < to,
  );
  if (overlapping.length >= MOST_USES)
    return refuse(`One passage speaks for ${MOST_USES} dimensions at most; ${dimension} needs its own.`);
  quoted.push(found);
  return found.source;
}

function hole({ dimension, counted, waiver }: Assessed): Problem {
  const state = `${dimension} is at ${counted}`;
  if (waiver?.trim()) return { problem: `${state}, and its waiver says too little: ${quote(waiver, 60)}.` };
  return { problem: `${state}: ${DIMENSIONS[dimension].asks} Answer it, or waive it with a reason.` };
}

/** Counts distinct words, so a repeated "n/a" is not a reason. */
const isWaived = ({ waiver }: Claim): boolean =>
  [...new Set(bare(waiver ?? "").split(" "))].join("").length >= SHORTEST_REASON;

/** Scripts without spaces between words. Characters outside the BMP appear as two surrogate halves. */
const UNPARTED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\uD800-\uDFFF]/u;

function saysEnough(words: string): boolean {
  return UNPARTED.test(words)
    ? words.length >= 6
    : words.length >= SHORTEST_EVIDENCE && new Set(words.split(" ")).size >= 3;
}

/** Matches whole words only: part of a word may mean its opposite. */
function passageIn({ name, text }: Source, words: string): Passage[] {
  for (let from = text.indexOf(words); from >= 0; from = text.indexOf(words, from + 1)) {
    const to = from + words.length;
    if (!isWordMark(text[from - 1]) && !isWordMark(text[to])) return [{ source: name, from, to }];
  }
  return [];
}

const isWordMark = (mark: string | undefined): boolean => mark !== undefined && mark !== " " && !UNPARTED.test(mark);

function bare(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}
