import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { StoredReview } from "../../model/review/review-finding.ts";
import { formatScopeHead } from "../../model/lead/action-ids.ts";
import type { BatchViewSchema } from "./schema.ts";

export type ReviewBatchView = z.infer<typeof BatchViewSchema>;

export function createBatchView(review: StoredReview): ReviewBatchView {
  const { batch, kind, scope, at, verdict, disposition, counts, override, missing, findings, mended } = review;
  return {
    batch,
    kind,
    scope: formatScopeHead(scope),
    at,
    verdict,
    disposition,
    counts: { ...counts },
    ...(override === null ? {} : { override: `${override.verdict}: ${sanitizeText(override.reason, 300)}` }),
    missing: [...missing],
    findings: findings.map(({ sources: _sources, ...finding }) => finding),
    mended: mended.map(({ severity, category, location }) => ({ severity, category, location })),
  };
}

export const createBatchTable = (batches: readonly ReviewBatchView[]): NonNullable<Page["table"]> => ({
  columns: ["batch", "review", "when", "verdict", "disposition", "findings", "mended"],
  rows: batches.map(({ batch, kind, scope, at, verdict, disposition, counts, mended }) => [
    batch,
    `${kind} of ${formatScopeText(scope)}`,
    at,
    verdict,
    disposition,
    formatSeverityCounts(counts),
    String(mended.length),
  ]),
});

export function formatSeverityCounts(counts: ReviewBatchView["counts"]): string {
  const parts = Object.entries(counts).flatMap(([severity, n]) => (n > 0 ? [`${n} ${severity}`] : []));
  return parts.length === 0 ? "none" : parts.join(", ");
}

export function formatBatchPoints({ batch, findings, mended, missing, override }: ReviewBatchView): string[] {
  return [
    ...(override === undefined ? [] : [`${batch}: the auditor argued for ${override}`]),
    ...(missing.length === 0 ? [] : [`${batch}: without ${missing.join(", ")}`]),
    ...findings.map((finding) => `${batch} ${formatReviewFindingLine(finding)}`),
    ...mended.map(
      ({ severity, category, location }) => `${batch} mended: ${severity} ${category}, ${sanitizeText(location, 80)}`,
    ),
  ];
}

export function formatReviewFindingLine(finding: ReviewBatchView["findings"][number]): string {
  const { id, severity, category, location, description, seen, waived } = finding;
  const marks = [
    ...(seen === "new" ? [] : [seen]),
    ...(waived === undefined ? [] : [`waived: ${sanitizeText(waived, 120)}`]),
  ];
  const mark = marks.length === 0 ? "" : ` (${marks.join("; ")})`;
  return `${id}: ${severity} ${sanitizeText(category, 40)}, ${sanitizeText(location, 80)}: ${sanitizeText(description, 200)}${mark}`;
}

/** A wave is reviewed together with the waves before it. */
export function formatScopeText(scope: string): string {
  if (scope === "all") return "everything";
  const wave = /^wave-(\d+)$/.exec(scope)?.[1];
  return wave === undefined ? scope : wave === "1" ? "wave 1" : `waves 1 to ${wave}`;
}
