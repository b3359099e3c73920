import type { FeatureRecord, Orchestration } from "../../../feature/record.ts";
import type { ReviewKind } from "../../../review/finding.ts";
import type { RunKey } from "../ids.ts";
import type { HandedOut } from "../state.ts";

/** Fixes after a NO-GO, a gate, a blocker or a run that failed, since the last GO. */
const MOST_RETRIES = 3;
/** Specs that were found wanting, since the last GO. */
const MOST_SPEC_UPDATES = 2;
/** Both, until the wave is finished or the user sets it back. */
export const MOST_IN_TOTAL = 6;
/** Reports that the facts do not bear out, until the run counts as failed. */
export const MOST_REFUSALS = 3;
/** Runs of one kind that were lost in a row, until the user is asked. */
export const MOST_LOST = 3;

/** What a builder who is blocked is counted by, until something of the feature works again. */
export const BLOCKED = "blocked";

/** What a plan is counted by that does not do without files of others, until there is another design. */
const PARTITION = "partition";

/** Nobody is asked again to plan around files of others: whoever shares them waits. */
export const withPartitionTried = (record: FeatureRecord): FeatureRecord =>
  isPartitionTried(record) ? record : withLost(record, PARTITION);

export const isPartitionTried = (record: FeatureRecord): boolean => lostOf(record, PARTITION) > 0;

/** With another design, others may be shared, and the tasks cut otherwise. */
export const withPartitionOpen = (record: FeatureRecord): FeatureRecord => withoutLost(record, PARTITION);

/** One fix more; nothing where no more is allowed. */
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
 * A review let it pass. Only code shows that a spec can be built: on the way there its design passes a review as well, and
 * if that set the count of updates back, there would be no end to them but the total.
 */
export const withPassCounted = (record: FeatureRecord, of: ReviewKind): FeatureRecord =>
  orchestrated(record, of === "design" ? { retry_count: 0 } : { retry_count: 0, spec_update_count: 0 });

/** The user gives it another chance. */
export const withCountersReset = (record: FeatureRecord): FeatureRecord =>
  orchestrated(record, { retry_count: 0, spec_update_count: 0, total_count: 0, lost: {} });

export const withTotalReset = (record: FeatureRecord): FeatureRecord =>
  record.orchestration.total_count === 0 ? record : orchestrated(record, { total_count: 0 });

/** A run of this kind has ended, however. Its id is not used again. */
export function withRun(record: FeatureRecord, key: RunKey): FeatureRecord {
  const { runs } = record.orchestration;
  return orchestrated(record, { runs: { ...runs, [key]: (runs[key] ?? 0) + 1 } });
}

/** One more of this kind came to nothing. */
export function withLost(record: FeatureRecord, key: string): FeatureRecord {
  const { lost } = record.orchestration;
  return orchestrated(record, { lost: { ...lost, [key]: (lost[key] ?? 0) + 1 } });
}

/** One of each kind came to something. */
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

/** What somebody at work is expected to cost besides what is paid. */
export const leftToPay = ({ estimate, paid = 0 }: Pick<HandedOut, "estimate" | "paid">): number =>
  Math.max(0, estimate - paid);
