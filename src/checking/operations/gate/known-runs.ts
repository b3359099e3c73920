import type { LedgerSpace } from "#store/operations/ports/store.ts";
import { hasTestReport } from "../../model/stack/stack-check.ts";
import type { LineCoverage } from "../../model/report/test-report.ts";
import type { CheckingEngine } from "../engine.ts";
import type { TrustedChecks } from "./load-trusted-checks.ts";
import type { FinishedCheck, PlannedCheck } from "./run-check.ts";

/** A check that passed, by a hash of the files, the trusted definitions and the command. */
interface PassedRun {
  readonly at: string;
  readonly report: FinishedCheck["report"];
  readonly coverage: readonly (readonly [string, readonly (readonly [number, boolean])[]])[] | undefined;
  readonly receipt: FinishedCheck["receipt"];
}

const PASSED_RUN_SPACE: LedgerSpace<PassedRun> = { name: "passed-checks" };
/** Milliseconds of the last run that ended by itself, by folder and command. */
const CHECK_TIME_SPACE: LedgerSpace<number> = { name: "check-times" };
const MOST_PASSED_RUNS = 20;
const LONGEST_KEPT_RUN = 1_000_000;
/** Seconds that even the fastest check may take, and be silent. */
const LEAST_LIMIT_S = 60;
const LIMIT_FACTOR = 5;
/** A receipt lists no more, so a result with more cannot be shown again. */
export const MOST_OLD_FAILURES = 100;

/** The files that the checks began with, and the same without the work. */
interface JudgedTrees {
  readonly tree: string | undefined;
  readonly base: string | undefined;
}

/** Earlier results on the same files, and limits that follow from the usual time of a check. */
export async function loadKnownRuns(
  { store, digest }: Pick<CheckingEngine, "store" | "digest">,
  rules: TrustedChecks,
  { tree, base }: JudgedTrees,
) {
  const { passed, times } = await store.read((ledger) => ({
    passed: ledger.kept(PASSED_RUN_SPACE),
    times: ledger.kept(CHECK_TIME_SPACE),
  }));
  return {
    find: function findRun(planned: PlannedCheck): FinishedCheck | undefined {
      const find = (on?: string) => passed.get(createRunKey(digest, rules, tree ?? "", planned, on));
      const run = tree === undefined ? undefined : (find() ?? (base === undefined ? undefined : find(base)));
      if (!run) return findTestsOfCoverage(planned, findRun);
      const coverage: LineCoverage | undefined =
        run.coverage && new Map(run.coverage.map(([file, lines]) => [file, new Map(lines)]));
      const receipt = { ...run.receipt, check: planned.name };
      const { report } = run;
      return { ...planned, ...KEPT_RUN, report, coverage, receipt };
    },
    /** An endless loop in a fast check ends soon, and is not tried again. */
    limit(planned: PlannedCheck): { readonly planned: PlannedCheck; readonly usual_s: number | undefined } {
      const ms = times.get(createTimeKey(digest, planned));
      if (ms === undefined) return { planned, usual_s: undefined };
      const { check } = planned;
      const least = Math.max(LEAST_LIMIT_S, Math.ceil((ms / 1000) * LIMIT_FACTOR));
      const timeout_s = Math.min(check.timeout_s, least);
      const silence_s = Math.min(check.silence_s, least);
      return { planned: { ...planned, check: { ...check, timeout_s, silence_s } }, usual_s: Math.ceil(ms / 1000) };
    },
  };
}

const PASSED = { status: "passed", problems: [] } as const;
const KEPT_RUN = {
  outcome: PASSED,
  failures: [],
  hasAllLines: true,
  isReused: true,
  isHung: false,
  edited: [],
  notes: [],
};

/** A coverage run that passed on the same files ran the tests too. */
function findTestsOfCoverage(
  planned: PlannedCheck,
  find: (planned: PlannedCheck) => FinishedCheck | undefined,
): FinishedCheck | undefined {
  if (planned.check.kind !== "test") return undefined;
  const [found] = planned.stack.checks.filter(hasTestReport).flatMap((check) => find({ ...planned, check }) ?? []);
  return found;
}

/** Keeps results only if the files are those that the checks began with. */
export async function keepRuns(
  { store, digest, clock }: Pick<CheckingEngine, "store" | "digest" | "clock">,
  rules: TrustedChecks,
  { tree, base }: JudgedTrees,
  tried: readonly FinishedCheck[],
): Promise<void> {
  const fresh = tried.filter(({ isReused, receipt }) => !isReused && receipt.exit !== undefined);
  if (fresh.length === 0) return;
  // A pass in spite of older failures holds only for the same files without the work.
  const isKept = ({ outcome, receipt: { already_failing } }: FinishedCheck): boolean =>
    outcome.status === "passed" &&
    (!already_failing || (base !== undefined && already_failing.length < MOST_OLD_FAILURES));
  const passed = fresh.filter(isKept);
  const runs = (tree === undefined ? [] : passed).flatMap((each) => {
    const { report, coverage, receipt } = each;
    const lines = coverage && [...coverage].map(([file, inner]) => [file, [...inner]] as const);
    const value: PassedRun = { at: clock.now(), report, coverage: lines, receipt };
    const key = createRunKey(digest, rules, tree ?? "", each, receipt.already_failing && base);
    return JSON.stringify(value).length > LONGEST_KEPT_RUN ? [] : [{ space: PASSED_RUN_SPACE.name, key, value }];
  });
  const times = fresh.map((each) => ({
    space: CHECK_TIME_SPACE.name,
    key: createTimeKey(digest, each),
    value: each.receipt.ms ?? 0,
  }));
  await store.write((ledger) => {
    const old = [...ledger.kept(PASSED_RUN_SPACE)].toSorted(([, one], [, other]) => (one.at < other.at ? -1 : 1));
    const dropped = old.slice(0, Math.max(0, old.length + runs.length - MOST_PASSED_RUNS));
    return {
      steps: [],
      occurrences: [{ kind: "gate.checks-kept", subject: String(runs.length) }],
      keeps: [...dropped.map(([key]) => ({ space: PASSED_RUN_SPACE.name, key, value: undefined })), ...runs, ...times],
      result: undefined,
    };
  });
}

type Digest = CheckingEngine["digest"];

const createRunKey = (
  digest: Digest,
  rules: TrustedChecks,
  tree: string,
  { stack, check }: PlannedCheck,
  base?: string,
): string => digest(JSON.stringify([tree, rules.hash, rules.passes, stack.directory, check, base]));

const createTimeKey = (digest: Digest, { stack, check }: PlannedCheck): string =>
  digest(JSON.stringify([stack.directory, check.kind, check.tool, check.run]));
