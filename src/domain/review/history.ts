import type { StoredFinding, StoredReview } from "../roadmap/lead/event.ts";
import type { ReviewScope } from "../roadmap/lead/state.ts";
import { batchNumber } from "./batch-number.ts";
import { type Audit, type Finding, type KnownFinding, type ReviewKind, SEVERITIES, type Severity } from "./finding.ts";
import { findingKey, isAlike, isRetold, type Likeness, likenessOf } from "./likeness.ts";

/**
 * Compares findings with earlier batches. `tracked` was open before; `regression` was fixed and is back. A fixed
 * finding that returns is raised by one severity until it is fixed again. A waiver carries over to the same words at
 * the same or a lower severity. The input order does not matter: the most severe come first.
 */
export function withHistory(
  found: readonly Finding[],
  tracked: readonly KnownFinding[],
  mended: readonly Finding[],
): StoredFinding[] {
  const open = tracked.map((known) => ({ known, like: likenessOf(known) }));
  const gone = mended.map(likenessOf);
  return merged(found)
    .map((finding) => {
      const like = likenessOf(finding);
      const isBack = gone.some((one) => isAlike(one, like));
      const isOpen = open.some((one) => isAlike(one.like, like));
      const severity = isBack ? raised(finding.severity) : finding.severity;
      const waived = waiverOf(open, like, severity);
      return {
        ...finding,
        severity,
        seen: isOpen ? ("tracked" as const) : isBack ? ("regression" as const) : ("new" as const),
        ...(waived === undefined ? {} : { waived }),
      };
    })
    .toSorted(byGravity)
    .map((finding, i) => ({ id: `F${i + 1}`, ...finding }));
}

/**
 * Findings that were open, were checked again and are gone. A finding that the auditor removed as a mistake was never
 * fixed.
 */
export function mendedNow(
  tracked: readonly Finding[],
  found: readonly Finding[],
  removed: Audit["removed"],
): Finding[] {
  const there = found.map(likenessOf);
  return tracked
    .filter((finding) => {
      const like = likenessOf(finding);
      return !there.some((one) => isAlike(one, like)) && !isRemoved(like, removed);
    })
    .map(plainFinding);
}

export function historyOf(earlier: readonly StoredReview[]): {
  readonly tracked: readonly StoredFinding[];
  readonly mended: readonly Finding[];
} {
  let tracked: readonly StoredFinding[] = [];
  const mended = new Map<string, Finding>();
  for (const { findings, removed, ...batch } of inOrder(earlier)) {
    const told = [...findings, ...batch.mended].map(likenessOf);
    const isOpen = (like: Likeness): boolean => !told.some((one) => isAlike(one, like)) && !isRemoved(like, removed);
    tracked = [...tracked.filter((finding) => isOpen(likenessOf(finding))), ...findings];
    for (const finding of batch.mended) mended.set(findingKey(finding), finding);
  }
  return { tracked, mended: [...mended.values()] };
}

/** Waives only findings with the same words and no higher severity. */
export function withWaiver(tracked: readonly KnownFinding[], { waived, ...finding }: KnownFinding): KnownFinding[] {
  const key = findingKey(finding);
  return tracked.map((known) => {
    const isMeant = waived !== undefined && findingKey(known) === key && rank(known) >= rank(finding);
    return isMeant ? { ...known, waived } : known;
  });
}

/** Whether a batch belongs to the history of this scope. A wave review includes earlier waves. */
export function isHistoryOf(
  batch: Pick<StoredReview, "kind" | "scope">,
  kind: ReviewKind,
  scope: ReviewScope,
): boolean {
  if (batch.kind !== kind || batch.scope.of !== scope.of) return false;
  if (batch.scope.of === "feature" && scope.of === "feature") return batch.scope.feature === scope.feature;
  if (batch.scope.of === "wave" && scope.of === "wave") return batch.scope.wave <= scope.wave;
  return true;
}

/** Oldest first. */
export const inOrder = <B extends Pick<StoredReview, "batch">>(batches: readonly B[]): B[] =>
  batches.toSorted((a, b) => (batchNumber(a.batch) ?? 0) - (batchNumber(b.batch) ?? 0));

function isRemoved(finding: Likeness, removed: Audit["removed"]): boolean {
  return removed.some((one) => isRetold(finding, one.finding));
}

export const raised = (severity: Severity): Severity => SEVERITIES[SEVERITIES.indexOf(severity) - 1] ?? "C";

function merged(found: readonly Finding[]): Finding[] {
  const byText = new Map<string, Finding>();
  for (const finding of found) {
    const text = JSON.stringify([finding.category, finding.location, finding.description]);
    const known = byText.get(text);
    byText.set(text, {
      ...plainFinding(finding),
      severity: known && rank(known) < rank(finding) ? known.severity : finding.severity,
      sources: [...new Set([...(known?.sources ?? []), ...finding.sources])].toSorted(),
    });
  }
  return [...byText.values()];
}

interface Compared {
  readonly known: KnownFinding;
  readonly like: Likeness;
}

/** Only for the exact words that were waived: a similar finding may be worse. */
function waiverOf(open: readonly Compared[], like: Likeness, severity: Severity): string | undefined {
  return open
    .filter(({ known, like: one }) => one.key === like.key && rank(known) <= SEVERITIES.indexOf(severity))
    .flatMap(({ known }) => known.waived ?? [])
    .toSorted()[0];
}

const plainFinding = ({ severity, category, location, description, sources }: Finding): Finding => ({
  severity,
  category,
  location,
  description,
  sources,
});

const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);

function byGravity(one: Finding, other: Finding): number {
  return rank(one) - rank(other) || compare(findingKey(one), findingKey(other)) || compare(exact(one), exact(other));
}

const exact = (finding: Finding): string =>
  JSON.stringify([finding.category, finding.location, finding.description, finding.sources]);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
