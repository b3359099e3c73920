import { CLARITY_DIMENSIONS, CLARITY_DIMENSION_NAMES, type ProjectMode } from "#kernel/model/stages/project-stages.ts";
import type { AssessedDimension } from "./project-record.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import { quote } from "#kernel/model/text-format.ts";

const TOTAL_CLARITY_WEIGHT = Object.values(CLARITY_DIMENSIONS).reduce((sum, { weight }) => sum + weight, 0);
export const CLARITY_THRESHOLDS: Readonly<Record<ProjectMode, number>> = { guided: 70, expert: 50 };
/** A dimension below this score needs an answer, or a waiver with a reason. */
const MIN_DIMENSION_SCORE = 30;
const MAX_DIMENSIONS_PER_PASSAGE = 2;
const MIN_EVIDENCE_LENGTH = 12;
const MIN_WAIVER_LENGTH = 8;

/** A score for one dimension. It counts only if the evidence is found in a source. */
export type ClarityClaim = Pick<AssessedDimension, "dimension" | "score"> & {
  readonly [part in "evidence" | "waiver"]?: string | undefined;
};

export interface EvidenceSource {
  readonly name: string;
  readonly text: string;
}

export type ClarityAssessment = ReturnType<typeof assessClarity>;

export function assessClarity(claims: readonly ClarityClaim[], sources: readonly EvidenceSource[], mode: ProjectMode) {
  const latest = new Map(claims.map((claim) => [claim.dimension, claim]));
  const searchable = sources.map(({ name, text }) => ({ name, text: normalizeEvidenceText(text) }));
  const quoted: ReturnType<typeof findPassage> = [];
  const problems: Problem[] = [];
  const dimensions = CLARITY_DIMENSION_NAMES.map((dimension): AssessedDimension => {
    // Drops `found_in` of earlier rounds: the source may have changed.
    const { score: said = 0, evidence, waiver } = latest.get(dimension) ?? {};
    const claim = { dimension, score: said, ...(evidence ? { evidence } : {}), ...(waiver ? { waiver } : {}) };
    const found = locateClaimEvidence(claim, searchable, quoted, problems);
    const counted = found === undefined ? 0 : Math.min(100, Math.max(0, Math.floor(claim.score)));
    const assessed = { ...claim, counted, ...(found === undefined ? {} : { found_in: found }) };
    if (isUnclearDimension(assessed)) {
      const { asks } = CLARITY_DIMENSIONS[dimension];
      const gap = waiver?.trim()
        ? `, and its waiver is too short: ${quote(waiver, 60)}.`
        : `: ${asks} Answer it, or waive it with a reason.`;
      problems.push({ problem: `${dimension} is at ${counted}${gap}` });
    }
    return assessed;
  });
  const score = calculateClarityScore(dimensions);
  const threshold = CLARITY_THRESHOLDS[mode];
  if (score < threshold) problems.push({ problem: `The score is ${score}, and ${mode} mode needs ${threshold}.` });
  return { score, threshold, passed: problems.length === 0, dimensions, problems };
}

export function calculateClarityScore(dimensions: readonly AssessedDimension[]): number {
  const getWeight = ({ dimension }: Pick<AssessedDimension, "dimension">): number =>
    CLARITY_DIMENSIONS[dimension].weight;
  const sum = dimensions.reduce((total, each) => total + each.counted * getWeight(each), 0);
  return Math.floor(sum / TOTAL_CLARITY_WEIGHT);
}

export const isUnclearDimension = (assessed: AssessedDimension): boolean =>
  assessed.counted < MIN_DIMENSION_SCORE && !hasValidWaiver(assessed);

const NORMALIZED_GATE_QUESTIONS = Object.values(CLARITY_DIMENSIONS).map(({ asks }) => normalizeEvidenceText(asks));

function locateClaimEvidence(
  claim: ClarityClaim,
  sources: readonly EvidenceSource[],
  quoted: ReturnType<typeof findPassage>,
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
    return refuse(`The evidence for ${dimension} is a question of the gate, not an answer: ${shown}.`);
  if (/\b(?:tbd|tbc|todo|fixme|lorem)\b/.test(words))
    return refuse(`The evidence for ${dimension} leaves it open: ${shown}.`);
  if (!isEvidenceLongEnough(words))
    return refuse(`The evidence for ${dimension} is too short: ${shown}; quote at least three words.`);
  if (isFiller(words))
    return refuse(`The evidence for ${dimension} only claims that it is clear: ${shown}; quote the fact itself.`);
  const found = sources.flatMap((source) => findPassage(source, words)).at(0);
  if (!found) return refuse(`The evidence for ${dimension} is not in a document or an answer: ${shown}.`);
  const overlapping = quoted.filter((each) => each.name === found.name && each.from < found.to && found.from < each.to);
  if (overlapping.length >= MAX_DIMENSIONS_PER_PASSAGE)
    return refuse(
      `One passage counts for ${MAX_DIMENSIONS_PER_PASSAGE} dimensions at most; ${dimension} needs its own.`,
    );
  quoted.push(found);
  return found.name;
}

/** Counts distinct words, so a repeated "n/a" is not a reason. */
const hasValidWaiver = ({ waiver }: ClarityClaim): boolean =>
  [...new Set(normalizeEvidenceText(waiver ?? "").split(" "))].join("").length >= MIN_WAIVER_LENGTH;

/** Scripts without spaces between words. Characters outside the BMP appear as two surrogate halves. */
const SPACELESS_SCRIPT_PATTERN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\uD800-\uDFFF]/u;

const isEvidenceLongEnough = (words: string): boolean =>
  SPACELESS_SCRIPT_PATTERN.test(words)
    ? words.length >= 6
    : words.length >= MIN_EVIDENCE_LENGTH && new Set(words.split(" ")).size >= 3;

/** Words that praise an answer, and words for the praised subject. */
const PRAISE_PATTERN =
  /^(?:clear|clearly|defined|specified|documented|understood|known|covered|complete|completed|settled|agreed|decided|fine|good|ok|okay|great|perfect|sufficient|enough|obvious|addressed|considered|handled)$/;
const PRAISED_PATTERN =
  /^(?:everything|nothing|anything|everyone|perfectly|fully|completely|totally|entirely|absolutely|already|very|quite|requirements?|scope|questions?|issues?|problems?|concerns?|projects?|specs?|specifications?|stakeholders?|teams?|aspects?|details?|dimensions?|areas?|points?|parts?|needed|needs?|further|needing|clarifications?|clarity|answers?|answered|open|left|remaining|100)$/;
const MIN_OWN_WORDS = 2;

/** "Everything is perfectly clear to the team" has no facts about the project. */
export function isFiller(words: string): boolean {
  const all = words.split(" ").filter((word) => word.length > 2 && !isStopWord(word));
  const own = new Set(all.filter((word) => !PRAISE_PATTERN.test(word) && !PRAISED_PATTERN.test(word)));
  return own.size < MIN_OWN_WORDS && all.some((word) => PRAISE_PATTERN.test(word));
}

/** Matches whole words only: part of a word may mean its opposite. */
function findPassage({ name, text }: EvidenceSource, words: string) {
  const isPartOfWord = (mark: string | undefined): boolean =>
    mark !== undefined && mark !== " " && !SPACELESS_SCRIPT_PATTERN.test(mark);
  for (let from = text.indexOf(words); from >= 0; from = text.indexOf(words, from + 1)) {
    const to = from + words.length;
    if (!isPartOfWord(text[from - 1]) && !isPartOfWord(text[to])) return [{ name, from, to }];
  }
  return [];
}

function normalizeEvidenceText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim();
}
