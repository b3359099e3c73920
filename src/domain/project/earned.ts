import type { Problem } from "../gate/verdict.ts";
import { isHole, scoreOf, THRESHOLD } from "./clarity.ts";
import { DIMENSION_NAMES } from "./vocabulary.ts";
import { isMilder } from "./coverage.ts";
import type { ProjectRecord, Round } from "./record.ts";

/** Detects records edited by hand: a stage is marked completed without a passed gate or verdict. */
export function unearnedStages(record: ProjectRecord): Problem[] {
  const isDone = (name: string): boolean =>
    record.stages.some((stage) => stage.name === name && stage.status === "completed");
  const round = record.rounds.at(-1);
  const validation = record.validations.at(-1);
  const isGateEarned = round !== undefined && isPassed(round, THRESHOLD[record.mode]);
  const isVerdictEarned =
    validation !== undefined &&
    validation.verdict !== "FAIL" &&
    (!isMilder(validation.verdict, validation.facts) || validation.override !== undefined);
  return [
    ...(isDone("clarify") && !isGateEarned
      ? [{ problem: "Stage clarify is completed, but no round passes the Clarity Gate." }]
      : []),
    ...(isDone("validate") && !isVerdictEarned
      ? [{ problem: "Stage validate is completed, but no verdict ends it." }]
      : []),
  ];
}

function isPassed({ passed, score, dimensions }: Round, threshold: number): boolean {
  return (
    passed &&
    score >= threshold &&
    score === scoreOf(dimensions) &&
    DIMENSION_NAMES.join() === dimensions.map(({ dimension }) => dimension).join() &&
    dimensions.every((each) => !isHole(each) && (each.counted === 0 || each.found_in !== undefined))
  );
}
