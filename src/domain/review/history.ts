import type { StoredFinding, StoredReview } from "../roadmap/lead/event.ts";
import type { ReviewScope } from "../roadmap/lead/state.ts";
import { parseBatchNumber } from "./batch-number.ts";
import {
  type AuditResult,
  type ReviewFinding,
  type KnownReviewFinding,
  type ReviewKind,
  FINDING_SEVERITIES,
  type FindingSeverity,
} from "./finding.ts";
import {
  formatFindingKey,
  isSameFinding,
  isFindingMentioned,
  type FindingSignature,
  createFindingSignature,
} from "./likeness.ts";

/**
 * Compares findings with earlier batches. `tracked` was open before; `regression` was fixed and is back. A fixed
 * finding that returns is raised by one severity until it is fixed again. A waiver carries over to the same words at
 * the same or a lower severity. The input order does not matter: the most severe come first.
 */
export function addFindingHistory(
  found: readonly ReviewFinding[],
  tracked: readonly KnownReviewFinding[],
  mended: readonly ReviewFinding[],
): StoredFinding[] {
  const open = tracked.map((known) => ({ known, like: createFindingSignature(known) }));
  const gone = mended.map(createFindingSignature);
  return mergeEqualFindings(found)
    .map((finding) => {
      const like = createFindingSignature(finding);
      const isBack = gone.some((one) => isSameFinding(one, like));
      const isOpen = open.some((one) => isSameFinding(one.like, like));
      const severity = isBack ? raiseFindingSeverity(finding.severity) : finding.severity;
      const waived = findCarriedWaiver(open, like, severity);
      return {
        ...finding,
        severity,
        seen: isOpen ? ("tracked" as const) : isBack ? ("regression" as const) : ("new" as const),
        ...(waived === undefined ? {} : { waived }),
      };
    })
    .toSorted(compareFindings)
    .map((finding, i) => ({ id: `F${i + 1}`, ...finding }));
}

/**
 * Findings that were open, were checked again and are gone. A finding that the auditor removed as a mistake was never
 * fixed.
 */
export function listFixedFindings(
  tracked: readonly ReviewFinding[],
  found: readonly ReviewFinding[],
  removed: AuditResult["removed"],
): ReviewFinding[] {
  const there = found.map(createFindingSignature);
  return tracked
    .filter((finding) => {
      const like = createFindingSignature(finding);
      return !there.some((one) => isSameFinding(one, like)) && !isRemovedFinding(like, removed);
    })
    .map(pickFindingFields);
}

export function collectFindingHistory(earlier: readonly StoredReview[]): {
  readonly tracked: readonly StoredFinding[];
  readonly mended: readonly ReviewFinding[];
} {
  let tracked: readonly StoredFinding[] = [];
  const mended = new Map<string, ReviewFinding>();
  for (const { findings, removed, ...batch } of sortReviewBatches(earlier)) {
    const told = [...findings, ...batch.mended].map(createFindingSignature);
    const isOpen = (like: FindingSignature): boolean =>
      !told.some((one) => isSameFinding(one, like)) && !isRemovedFinding(like, removed);
    tracked = [...tracked.filter((finding) => isOpen(createFindingSignature(finding))), ...findings];
    for (const finding of batch.mended) mended.set(formatFindingKey(finding), finding);
  }
  return { tracked, mended: [...mended.values()] };
}

/** Waives only findings with the same words and no higher severity. */
export function applyFindingWaiver(
  tracked: readonly KnownReviewFinding[],
  { waived, ...finding }: KnownReviewFinding,
): KnownReviewFinding[] {
  const key = formatFindingKey(finding);
  return tracked.map((known) => {
    const isMeant =
      waived !== undefined &&
      formatFindingKey(known) === key &&
      rankFindingSeverity(known) >= rankFindingSeverity(finding);
    return isMeant ? { ...known, waived } : known;
  });
}

/** Whether a batch belongs to the history of this scope. A wave review includes earlier waves. */
export function isRelatedBatch(
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
export const sortReviewBatches = <B extends Pick<StoredReview, "batch">>(batches: readonly B[]): B[] =>
  batches.toSorted((a, b) => (parseBatchNumber(a.batch) ?? 0) - (parseBatchNumber(b.batch) ?? 0));

function isRemovedFinding(finding: FindingSignature, removed: AuditResult["removed"]): boolean {
  return removed.some((one) => isFindingMentioned(finding, one.finding));
}

export const raiseFindingSeverity = (severity: FindingSeverity): FindingSeverity =>
  FINDING_SEVERITIES[FINDING_SEVERITIES.indexOf(severity) - 1] ?? "C";

function mergeEqualFindings(found: readonly ReviewFinding[]): ReviewFinding[] {
  const byText = new Map<string, ReviewFinding>();
  for (const finding of found) {
    const text = JSON.stringify([finding.category, finding.location, finding.description]);
    const known = byText.get(text);
    byText.set(text, {
      ...pickFindingFields(finding),
      severity: known && rankFindingSeverity(known) < rankFindingSeverity(finding) ? known.severity : finding.severity,
      sources: [...new Set([...(known?.sources ?? []), ...finding.sources])].toSorted(),
    });
  }
  return [...byText.values()];
}

interface ComparedFinding {
  readonly known: KnownReviewFinding;
  readonly like: FindingSignature;
}

/** Only for the exact words that were waived: a similar finding may be worse. */
function findCarriedWaiver(
  open: readonly ComparedFinding[],
  like: FindingSignature,
  severity: FindingSeverity,
): string | undefined {
  return open
    .filter(
      ({ known, like: one }) =>
        one.key === like.key && rankFindingSeverity(known) <= FINDING_SEVERITIES.indexOf(severity),
    )
    .flatMap(({ known }) => known.waived ?? [])
    .toSorted()[0];
}

const pickFindingFields = ({ severity, category, location, description, sources }: ReviewFinding): ReviewFinding => ({
  severity,
  category,
  location,
  description,
  sources,
});

const rankFindingSeverity = ({ severity }: ReviewFinding): number => FINDING_SEVERITIES.indexOf(severity);

function compareFindings(one: ReviewFinding, other: ReviewFinding): number {
  return (
    rankFindingSeverity(one) - rankFindingSeverity(other) ||
    compareFindingTexts(formatFindingKey(one), formatFindingKey(other)) ||
    compareFindingTexts(serializeFinding(one), serializeFinding(other))
  );
}

const serializeFinding = (finding: ReviewFinding): string =>
  JSON.stringify([finding.category, finding.location, finding.description, finding.sources]);

const compareFindingTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
