import type { ReviewKind } from "../../review/finding.ts";
import type { Lead, Scope } from "./state.ts";

/** Whose a thing is: a feature's name, `wave-2`, or `all`. */
export const headOf = (scope: Scope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? `wave-${scope.wave}` : "all";

/** Names an open review: `user-login/design`, `wave-2/dead-code`. */
export const reviewKey = (review: ReviewKind, scope: Scope): string => `${headOf(scope)}/${review}`;

/** `B3` → 3; nothing for anything else. */
export function batchNumber(batch: string): number | undefined {
  return /^B[1-9]\d{0,8}$/.test(batch) ? Number(batch.slice(1)) : undefined;
}

/** The batch that the next review of a scope will be, where these are stored. Numbers of void reviews are not used again. */
export function nextBatch(lead: Lead, scope: Scope, stored: Iterable<string>): string {
  let last = lastBegun(lead, scope);
  for (const batch of stored) last = Math.max(last, batchNumber(batch) ?? 0);
  return `B${last + 1}`;
}

/** The highest batch of a scope's folder that the Lead knows of. */
export function lastBegun(lead: Lead, scope: Scope): number {
  if (scope.of !== "feature") return lead.run.batches;
  return lead.features.get(scope.feature)?.orchestration.runs["batch"] ?? 0;
}
