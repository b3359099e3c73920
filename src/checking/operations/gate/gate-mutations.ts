import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import { type FailedNewTest, isSameTest } from "../../model/gate/test-evidence.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { TraceableIds } from "#code/model/trace/traceable-ids.ts";
import type { CheckingEngine } from "../engine.ts";
import { checkTestsNoticeBrokenCode } from "./hollow-tests.ts";
import { compareChangedTests } from "./kept-tests.ts";
import type { CheckRuling } from "./load-trusted-checks.ts";
import type { FinishedCheck } from "./run-check.ts";
import { findExtendedTests, findNewTests } from "./new-tests.ts";
import { loadRecordedFailures } from "./run-tests-on-base.ts";
import { createMutationResult } from "./run-mutation-check.ts";
import type { ChangedFile, CriterionTest } from "./static-checks.ts";

interface MutationGate {
  readonly engine: CheckingEngine;
  readonly record: { readonly id: string };
  readonly checks: readonly CommandCheck[];
  readonly ruling: CheckRuling;
  readonly files: readonly ChangedFile[] | undefined;
  readonly tried: readonly FinishedCheck[];
  readonly cases: readonly CriterionTest[];
  readonly known: TraceableIds;
}

const MOST_SHOWN_TESTS = 10;

/** With `gates.mutation_check` every single mutation of tagged code must be noticed too. */
export async function judgeMutations(run: MutationGate, seen: readonly FailedNewTest[] = []) {
  const { engine, ruling, files, tried, cases, record, known } = run;
  const check = "mutation-check";
  const { rules, gates } = ruling;
  const reason = gates.waived[check];
  if (reason !== undefined) {
    const waived = { check, status: "waived" } as const;
    return { result: { ...waived, problems: [], reason }, receipts: [{ ...waived, reason }] };
  }
  if (!rules || !files || tried.some(({ outcome }) => outcome.status !== "passed")) return undefined;
  const comparison = compareChangedTests(files);
  const isKnown = (id: string): boolean => known.ids.has(id);
  const proving = [...findNewTests(files, comparison), ...findExtendedTests(files)];
  const recorded = await loadRecordedFailures(engine, record.id, proving);
  const red = [...recorded, ...seen.filter((each) => !recorded.some((one) => isSameTest(one, each)))];
  const request = { spec: record.id, rules, files, comparison, cases, tried, red, isKnown };
  const bounded = await checkTestsNoticeBrokenCode(engine, request);
  const isFull = gates.mutation_check && run.checks.some((each) => each.endsWith("seen-to-fail"));
  const full = isFull ? await createMutationResult(engine, ruling, record.id) : undefined;
  const result =
    bounded && full?.status !== "unknown"
      ? createProblemResult(check, [...bounded.result.problems, ...(full?.problems ?? [])], bounded.result.allowed)
      : full;
  return { result, receipts: bounded ? [bounded.receipt] : [], isReused: bounded?.isReused };
}

export const describeUnchecked = (receipts: readonly CheckReceipt[] = []): string[] =>
  receipts
    .flatMap(({ unchecked = [] }) => unchecked)
    .slice(0, MOST_SHOWN_TESTS)
    .map((test) => `Not run with broken code: ${test}`);
