import type { FeatureRecord, Orchestration } from "../../../feature/record.ts";
import type { ReviewKind } from "../../../review/finding.ts";
import type { RunKey } from "../ids.ts";
import type { HandedOut } from "../state.ts";

/** Fixes after a failed review, gate or run, or a blocker, since the last GO. */
const MOST_RETRIES = 3;
/** Spec updates since the last GO. */
const MOST_SPEC_UPDATES = 2;
/** Fixes and spec updates until the wave is finished or the user resets them. */
export const MOST_IN_TOTAL = 6;
/** Rejected reports after which a run fails. */
export const MOST_REFUSALS = 3;
/** Consecutive lost runs of one kind after which the user is asked. */
export const MOST_LOST = 3;

/** Counter for blocked Builders. Reset when work on the feature succeeds again. */
export const BLOCKED = "blocked";

/** Counter for a plan that needs files of other features. Reset by a new design. */
const PARTITION = "partition";

/** Planning around shared files is tried once. After that, the feature waits for the files. */
export const withPartitionTried = (record: FeatureRecord): FeatureRecord =>
  isPartitionTried(record) ? record : withLost(record, PARTITION);

export const isPartitionTried = (record: FeatureRecord): boolean => lostOf(record, PARTITION) > 0;

/** A new design may share other files and split tasks differently. */
export const withPartitionOpen = (record: FeatureRecord): FeatureRecord => withoutLost(record, PARTITION);

/** Undefined if the limit is reached. */
export function withFixCounted(record: FeatureRecord, kind: "retry" | "spec-update"): FeatureRecord | undefined {
  const { retry_count, spec_update_count, total_count } = record.orchestration;
  if (total_count >= MOST_IN_TOTAL) return undefined;
  if (kind === "retry" ? retry_count >= MOST_RETRIES : spec_update_count >= MOST_SPEC_UPDATES) return undefined;
  return orchestrated(record, {
    total_count: total_count + 1,
    ...(kind === "retry" ? { retry_count: retry_count + 1 } : { spec_update_count: spec_update_count + 1 }),
  });
}

/**
 * A passed design review does not reset the spec updates. Only code proves that a spec can be built; otherwise the
 * total would be their only limit.
 */
export const withPassCounted = (record: FeatureRecord, of: ReviewKind): FeatureRecord =>
  orchestrated(record, of === "design" ? { retry_count: 0 } : { retry_count: 0, spec_update_count: 0 });

export const withCountersReset = (record: FeatureRecord): FeatureRecord =>
  orchestrated(record, { retry_count: 0, spec_update_count: 0, total_count: 0, lost: {} });

export const withTotalReset = (record: FeatureRecord): FeatureRecord =>
  record.orchestration.total_count === 0 ? record : orchestrated(record, { total_count: 0 });

/** A run has ended in any way. Its id is not reused. */
export function withRun(record: FeatureRecord, key: RunKey): FeatureRecord {
  const { runs } = record.orchestration;
  return orchestrated(record, { runs: { ...runs, [key]: (runs[key] ?? 0) + 1 } });
}

export function withLost(record: FeatureRecord, key: string): FeatureRecord {
  const { lost } = record.orchestration;
  return orchestrated(record, { lost: { ...lost, [key]: (lost[key] ?? 0) + 1 } });
}

export function withoutLost(record: FeatureRecord, ...keys: readonly string[]): FeatureRecord {
  const { lost } = record.orchestration;
  if (!keys.some((key) => Object.hasOwn(lost, key))) return record;
  return orchestrated(record, {
    lost: Object.fromEntries(Object.entries(lost).filter(([key]) => !keys.includes(key))),
  });
}

export const lostOf = ({ orchestration: { lost } }: FeatureRecord, key: string): number => lost[key] ?? 0;

export const orchestrated = (record: FeatureRecord, changes: Partial<Orchestration>): FeatureRecord => ({
  ...record,
  orchestration: { ...record.orchestration, ...changes },
});

export const leftToPay = ({ estimate, paid = 0 }: Pick<HandedOut, "estimate" | "paid">): number =>
  Math.max(0, estimate - paid);
