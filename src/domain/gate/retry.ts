import type { FailureKind } from "./outcome.ts";

/** Seconds before each of the tries after the first. */
export const WAITS_S = [1, 5, 15] as const;

export interface Attempt {
  /** The first run is 1. */
  readonly n: number;
  /** Seconds that were waited before it. */
  readonly waited_s: number;
  /** Tools whose fix was run before it. */
  readonly fixed: readonly string[];
  /** What did not pass, with the first thing that it said; nothing when all did. */
  readonly failed: readonly { readonly check: string; readonly failure: FailureKind; readonly said: string }[];
}

/**
 * Seconds to wait before the next try, or nothing when there should be none: something is really wrong, or everything
 * was tried. One failure that no try can mend makes the others pointless.
 */
export function nextTry(failures: readonly FailureKind[], runs: number, retryAll: boolean): number | undefined {
  if (failures.length === 0) return undefined;
  if (!retryAll && failures.includes("real")) return undefined;
  return WAITS_S[runs - 1];
}
