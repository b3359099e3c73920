import type { FailureKind } from "./outcome.ts";

export const RETRY_WAITS_S = [1, 5, 15] as const;

export interface GateAttempt {
  readonly n: number;
  readonly waited_s: number;
  readonly fixed: readonly string[];
  readonly failed: readonly { readonly check: string; readonly failure: FailureKind; readonly said: string }[];
}

/**
 * Seconds until the next retry; undefined if no retry helps or all are used. A single real failure makes retries of the
 * others pointless.
 */
export function planNextRetry(failures: readonly FailureKind[], runs: number, retryAll: boolean): number | undefined {
  if (failures.length === 0) return undefined;
  if (!retryAll && failures.includes("real")) return undefined;
  return RETRY_WAITS_S[runs - 1];
}
