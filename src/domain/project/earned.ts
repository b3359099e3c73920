import type { Problem } from "../gate/verdict.ts";
import { isUnclearDimension, calculateClarityScore, CLARITY_THRESHOLDS } from "./clarity.ts";
import { CLARITY_DIMENSION_NAMES } from "./vocabulary.ts";
import { isMilderVerdict } from "./coverage.ts";
import type { ProjectRecord, ClarityRound } from "./record.ts";

/** Detects records edited by hand: a stage is marked completed without a passed gate or verdict. */
export function findUnearnedStages(record: ProjectRecord): Problem[] {
  const isDone = (name: string): boolean =>
    record.stages.some((stage) => stage.name === name && stage.status === "completed");
  const round = record.rounds.at(-1);
  const validation = record.validations.at(-1);
  const isGateEarned = round !== undefined && isRoundPassed(round, CLARITY_THRESHOLDS[record.mode]);
  const isVerdictEarned =
    validation !== undefined &&
    validation.verdict !== "FAIL" &&
    (!isMilderVerdict(validation.verdict, validation.facts) || validation.override !== undefined);
  return [
    ...(isDone("clarify") && !isGateEarned
      ? [{ problem: "Stage clarify is completed, but no round passes the Clarity Gate." }]
      : []),
    ...(isDone("validate") && !isVerdictEarned
      ? [{ problem: "Stage validate is completed, but no verdict ends it." }]
      : []),
  ];
}

function isRoundPassed({ passed, score, dimensions }: ClarityRound, threshold: number): boolean {
  return (
    passed &&
    score >= threshold &&
    score === calculateClarityScore(dimensions) &&
    CLARITY_DIMENSION_NAMES.join() === dimensions.map(({ dimension }) => dimension).join() &&
    dimensions.every((each) => !isUnclearDimension(each) && (each.counted === 0 || each.found_in !== undefined))
  );
}
