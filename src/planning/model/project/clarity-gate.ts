import {
  CLARITY_DIMENSIONS,
  CLARITY_DIMENSION_NAMES,
  type ClarityDimension,
  type ProjectMode,
} from "#kernel/model/stages/project-stages.ts";
import type { AssessedDimension } from "./project-record.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { quote } from "#kernel/model/text-format.ts";

const TOTAL_CLARITY_WEIGHT = Object.values(CLARITY_DIMENSIONS).reduce((sum, { weight }) => sum + weight, 0);
export const CLARITY_THRESHOLDS: Readonly<Record<ProjectMode, number>> = { guided: 70, expert: 50 };
/** A dimension below this score needs an answer, or a waiver with a reason. */
const MIN_DIMENSION_SCORE = 30;
const MAX_DIMENSIONS_PER_PASSAGE = 2;
const MIN_EVIDENCE_LENGTH = 12;
const MIN_WAIVER_LENGTH = 8;

/** A score for one dimension. It counts only if the evidence is found in a source. */
export interface ClarityClaim {
  readonly dimension: ClarityDimension;
  readonly score: number;
  readonly evidence?: string | undefined;
  readonly waiver?: string | undefined;
}

export interface EvidenceSource {
  readonly name: string;
  readonly text: string;
}

export interface ClarityAssessment {
  readonly score: number;
  readonly threshold: number;
  readonly passed: boolean;
  readonly dimensions: readonly AssessedDimension[];
  readonly problems: readonly Problem[];
}

export function assessClarity(
  claims: readonly ClarityClaim[],
  sources: readonly EvidenceSource[],
  mode: ProjectMode,
): ClarityAssessment {
  const latest = new Map(claims.map((claim) => [claim.dimension, claim]));
  const searchable = sources.map(({ name, text }) => ({ name, text: normalizeEvidenceText(text) }));
  const quoted: QuotedPassage[] = [];
  const problems: Problem[] = [];
  const dimensions = CLARITY_DIMENSION_NAMES.map((dimension): AssessedDimension => {
    // Drops `found_in` of earlier rounds: the source may have changed.
    const { score: said = 0, evidence, waiver } = latest.get(dimension) ?? {};
    const claim = { dimension, score: said, ...(evidence ? { evidence } : {}), ...(waiver ? { waiver } : {}) };
    const found = locateClaimEvidence(claim, searchable, quoted, problems);
    const counted = found === undefined ? 0 : Math.min(100, Math.max(0, Math.floor(claim.score)));
    const assessed = { ...claim, counted, ...(found === undefined ? {} : { found_in: found }) };
    if (isUnclearDimension(assessed)) problems.push(describeUnclearDimension(assessed));
    return assessed;
  });
  const score = calculateClarityScore(dimensions);
  const threshold = CLARITY_THRESHOLDS[mode];
  if (score < threshold) problems.push({ problem: `The score is ${score}, and ${mode} mode asks for ${threshold}.` });
  return { score, threshold, passed: problems.length === 0, dimensions, problems };
}

export function calculateClarityScore(dimensions: readonly AssessedDimension[]): number {
  const sum = dimensions.reduce(
    (total, { dimension, counted }) => total + counted * CLARITY_DIMENSIONS[dimension].weight,
    0,
  );
  return Math.floor(sum / TOTAL_CLARITY_WEIGHT);
}

export const isUnclearDimension = (assessed: AssessedDimension): boolean =>
  assessed.counted < MIN_DIMENSION_SCORE && !hasValidWaiver(assessed);

const NORMALIZED_GATE_QUESTIONS = Object.values(CLARITY_DIMENSIONS).map(({ asks }) => normalizeEvidenceText(asks));

interface QuotedPassage {
  readonly source: string;
  readonly from: number;
  readonly to: number;
}

function locateClaimEvidence(
  claim: ClarityClaim,
  sources: readonly EvidenceSource[],
  quoted: QuotedPassage[],
  problems: Problem[],
): string | undefined {
  const { dimension, evidence = "", score } = claim;
  if (score === 0) return undefined;
  const words = normalizeEvidenceText(evidence);
  const shown = quote(evidence, 80);
  const refuse = (problem: string): undefined => {
    problems.push({ problem });
    return undefined;
  };
  if (words === "") {
    if (hasValidWaiver(claim)) return undefined;
    return refuse(`${dimension} has no evidence, so it counts 0: quote a document or an answer.`);
  }
  if (NORMALIZED_GATE_QUESTIONS.some((question) => question.includes(words)))
    return refuse(`The evidence for ${dimension} is a question of the gate, and no answer: ${shown}.`);
  if (/\b(?:tbd|tbc|todo|fixme|lorem)\b/.test(words))
    return refuse(`The evidence for ${dimension} says that it is open: ${shown}.`);
  if (!isEvidenceLongEnough(words))
    return refuse(`The evidence for ${dimension} says too little: ${shown}; quote three words at least.`);
  const found = sources.flatMap((source) => findPassage(source, words)).at(0);
  if (!found) return refuse(`The evidence for ${dimension} stands in no document and no answer: ${shown}.`);
  const overlapping = quoted.filter(
    ({ source, from, to }) => source === found.source && from < found.to && found.from < to,
  );
  if (overlapping.length >= MAX_DIMENSIONS_PER_PASSAGE)
    return refuse(
      `One passage speaks for ${MAX_DIMENSIONS_PER_PASSAGE} dimensions at most; ${dimension} needs its own.`,
    );
  quoted.push(found);
  return found.source;
}

function describeUnclearDimension({ dimension, counted, waiver }: AssessedDimension): Problem {
  const state = `${dimension} is at ${counted}`;
  if (waiver?.trim()) return { problem: `${state}, and its waiver says too little: ${quote(waiver, 60)}.` };
  return { problem: `${state}: ${CLARITY_DIMENSIONS[dimension].asks} Answer it, or waive it with a reason.` };
}

/** Counts distinct words, so a repeated "n/a" is not a reason. */
const hasValidWaiver = ({ waiver }: ClarityClaim): boolean =>
  [...new Set(normalizeEvidenceText(waiver ?? "").split(" "))].join("").length >= MIN_WAIVER_LENGTH;

/** Scripts without spaces between words. Characters outside the BMP appear as two surrogate halves. */
const SPACELESS_SCRIPT_PATTERN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\uD800-\uDFFF]/u;

function isEvidenceLongEnough(words: string): boolean {
  return SPACELESS_SCRIPT_PATTERN.test(words)
    ? words.length >= 6
    : words.length >= MIN_EVIDENCE_LENGTH && new Set(words.split(" ")).size >= 3;
}

/** Matches whole words only: part of a word may mean its opposite. */
function findPassage({ name, text }: EvidenceSource, words: string): QuotedPassage[] {
  for (let from = text.indexOf(words); from >= 0; from = text.indexOf(words, from + 1)) {
    const to = from + words.length;
    if (!isWordCharacter(text[from - 1]) && !isWordCharacter(text[to])) return [{ source: name, from, to }];
  }
  return [];
}

const isWordCharacter = (mark: string | undefined): boolean =>
  mark !== undefined && mark !== " " && !SPACELESS_SCRIPT_PATTERN.test(mark);

function normalizeEvidenceText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}
