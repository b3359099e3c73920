import { isOf } from "../gate/evidence.ts";
import { sanitizeText } from "../quote.ts";
import type { TestOutcome, TestReport } from "../report/tests.ts";
import type { Mutation } from "./mutation.ts";
import type { Target } from "./traced.ts";

/**
 * What became of one way to make code wrong. `bitten`: a test of the criterion failed. `survived`: none did. `unfit`:
 * the code could not be loaded or built, or none of the tests was run, which says nothing of them. `endless`: the tests
 * did not come to an end, which somebody would notice.
 */
type Fate = "bitten" | "survived" | "unfit" | "endless";

export interface Tried {
  readonly mutation: Mutation;
  readonly fate: Fate;
}

export interface Bite {
  readonly tried: number;
  readonly bitten: number;
  readonly unfit: number;
  /** Ways that there are and nobody tried, for lack of time or because they are too many. */
  readonly left: number;
  readonly survivors: readonly Mutation[];
}

/** Whether a test that is told under a file may be written in another, as the format of the report has it. */
type MayHold = (told: string, path: string) => boolean;

/** What a run of the tests on wrong code tells; where they left no report, nothing. */
export function fateOf(report: TestReport | "endless" | undefined, targets: readonly Target[], mayHold: MayHold): Fate {
  if (report === "endless") return "endless";
  if (report === undefined) return "unfit";
  const outcomes = report.tests.filter((outcome) => isTarget(outcome, targets, mayHold));
  if (outcomes.some(({ status }) => status === "failed")) return "bitten";
  const isUnloaded = report.failures.some(({ file }) => targets.some((target) => mayHold(file, target.file)));
  return isUnloaded || !outcomes.some(({ status }) => status === "passed") ? "unfit" : "survived";
}

/** A survivor, in words. */
export const unnoticed = (name: string, before: string, after: string): string =>
  `no test of ${name} fails when \`${sanitizeText(before, 120)}\` is \`${sanitizeText(after, 120)}\``;

export function summed(tried: readonly Tried[], all: number): Bite {
  const count = (...fates: readonly Fate[]): number => tried.filter(({ fate }) => fates.includes(fate)).length;
  return {
    tried: tried.length,
    bitten: count("bitten", "endless"),
    unfit: count("unfit"),
    left: all - tried.length,
    survivors: tried.filter(({ fate }) => fate === "survived").map(({ mutation }) => mutation),
  };
}

/** Whether an outcome is that of one of the tests meant. */
const isTarget = (
  { file, name }: Pick<TestOutcome, "file" | "name">,
  targets: readonly Target[],
  mayHold: MayHold,
): boolean =>
  targets.some((target) => mayHold(file, target.file) && (target.name === undefined || isOf(target.name, name)));
