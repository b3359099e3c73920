import type { FeatureRecord } from "../feature/feature-record.ts";
import type { ReviewKind } from "../review/review-kinds.ts";
import type { RunCounterKey } from "./action-ids.ts";

/** Fixes after a failed review, gate or run, or a blocker, since the last GO. */
const MAX_RETRIES = 3;
/** Spec updates since the last GO. */
const MAX_SPEC_UPDATES = 2;
/** Fixes and spec updates until the wave is finished or the user resets them. */
export const MAX_TOTAL_FIXES = 6;
/** Rejected reports after which a run fails. */
export const MAX_REJECTED_REPORTS = 3;
/** Consecutive lost runs of one kind after which the user is asked. */
export const MAX_LOST_RUNS = 3;

/** Counter for blocked Builders. Reset when work on the feature succeeds again. */
export const BLOCKED_COUNTER = "blocked";
/** Counter for a plan that needs files of other features. Reset by a new design, which may share other files. */
export const PARTITION_COUNTER = "partition";

/** Planning around shared files is tried once. After that, the feature waits for the files. */
export const markPartitionTried = (record: FeatureRecord): FeatureRecord =>
  wasPartitionTried(record) ? record : countLostRun(record, PARTITION_COUNTER);

export const wasPartitionTried = (record: FeatureRecord): boolean => getLostRunCount(record, PARTITION_COUNTER) > 0;

/** Undefined if the limit is reached. */
export function countFixAttempt(record: FeatureRecord, kind: "retry" | "spec-update"): FeatureRecord | undefined {
  const { retry_count, spec_update_count, total_count } = record.orchestration;
  if (total_count >= MAX_TOTAL_FIXES) return undefined;
  if (kind === "retry" ? retry_count >= MAX_RETRIES : spec_update_count >= MAX_SPEC_UPDATES) return undefined;
  return updateOrchestration(record, {
    total_count: total_count + 1,
    ...(kind === "retry" ? { retry_count: retry_count + 1 } : { spec_update_count: spec_update_count + 1 }),
  });
}

/**
 * A passed design review does not reset the spec updates. Only code proves that a spec can be built; otherwise the
 * total would be their only limit.
 */
export const resetCountersAfterPass = (record: FeatureRecord, of: ReviewKind): FeatureRecord =>
  updateOrchestration(record, of === "design" ? { retry_count: 0 } : { retry_count: 0, spec_update_count: 0 });

export const resetFeatureCounters = (record: FeatureRecord): FeatureRecord =>
  updateOrchestration(record, { retry_count: 0, spec_update_count: 0, total_count: 0, lost: {} });

export const resetTotalCounter = (record: FeatureRecord): FeatureRecord =>
  record.orchestration.total_count === 0 ? record : updateOrchestration(record, { total_count: 0 });

/** A run has ended in any way. Its id is not reused. */
export const countFeatureRun = (record: FeatureRecord, key: RunCounterKey): FeatureRecord =>
  updateOrchestration(record, { runs: addCount(record.orchestration.runs, key) });

export const countLostRun = (record: FeatureRecord, key: string): FeatureRecord =>
  updateOrchestration(record, { lost: addCount(record.orchestration.lost, key) });

export const addCount = (counts: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> => ({
  ...counts,
  [key]: (counts[key] ?? 0) + 1,
});

export function clearLostRuns(record: FeatureRecord, ...keys: readonly string[]): FeatureRecord {
  const { lost } = record.orchestration;
  if (!keys.some((key) => Object.hasOwn(lost, key))) return record;
  const rest = Object.entries(lost).filter(([key]) => !keys.includes(key));
  return updateOrchestration(record, { lost: Object.fromEntries(rest) });
}

export const getLostRunCount = ({ orchestration: { lost } }: FeatureRecord, key: string): number => lost[key] ?? 0;

export const updateOrchestration = (
  record: FeatureRecord,
  changes: Partial<FeatureRecord["orchestration"]>,
): FeatureRecord => ({ ...record, orchestration: { ...record.orchestration, ...changes } });
