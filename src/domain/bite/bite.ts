import { isSameTestName } from "../gate/evidence.ts";
import { sanitizeText } from "../quote.ts";
import type { TestOutcome, TestReport } from "../report/tests.ts";
import type { Mutation } from "./mutation.ts";
import type { TargetTest } from "./traced.ts";

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
