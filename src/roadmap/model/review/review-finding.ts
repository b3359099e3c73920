import { REVIEW_KINDS } from "./review-kinds.ts";
import * as z from "zod/mini";
import * as records from "#kernel/model/record-schema.ts";

/** Critical, high, medium, low. */
export const FINDING_SEVERITIES = ["C", "H", "M", "L"] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

export const REVIEW_VERDICTS = ["GO", "CONDITIONAL", "NO-GO", "SPEC-UPDATE-NEEDED"] as const;
export type ReviewVerdict = (typeof REVIEW_VERDICTS)[number];

export const REVIEW_DISPOSITIONS = [
  "GO-ACCEPTED",
  "CONDITIONAL-TRACKED",
  /** Returned to the agents that fix it. The next review says whether they did. */
  "NO-GO-RETURNED",
  /** Its name in older records. */
  "NO-GO-FIXED",
  "SPEC-UPDATE-CASCADED",
  "ESCALATED",
] as const;
export type ReviewDisposition = (typeof REVIEW_DISPOSITIONS)[number];

export function parseBatchNumber(batch: string): number | undefined {
  return /^B[1-9]\d{0,5}$/.test(batch) ? Number(batch.slice(1)) : undefined;
}

export const isBatchId = (value: unknown): boolean =>
  typeof value === "string" && parseBatchNumber(value) !== undefined;

export const batchId = z.string().check(z.refine(isBatchId));

const text = records.filledText(10_000);
const listOf = <T extends z.ZodMiniType>(item: T) => z.array(item).check(z.maxLength(5_000));
const texts = listOf(records.boundedText(10_000));

export const ReviewFinding = z.object({
  severity: z.enum(FINDING_SEVERITIES),
  category: text,
  location: text,
  description: text,
  sources: texts,
});
export type ReviewFinding = records.Immutable<z.infer<typeof ReviewFinding>>;

const StoredFinding = z.extend(ReviewFinding, {
  id: z.string().check(z.regex(/^F[1-9]\d{0,5}$/)),
  /** `tracked`: found before and still open. `regression`: found before, fixed, and back again. */
  seen: z.enum(["new", "tracked", "regression"]),
  waived: z.exactOptional(text),
});
export type StoredFinding = records.Immutable<z.infer<typeof StoredFinding>>;
export const KnownReviewFinding = z.extend(ReviewFinding, { waived: z.exactOptional(text) });
export type KnownReviewFinding = records.Immutable<z.infer<typeof KnownReviewFinding>>;

export const ReviewScope = z.discriminatedUnion("of", [
  z.object({ of: z.literal("feature"), feature: records.featureName, tasks: z.exactOptional(texts) }),
  z.object({ of: z.literal("wave"), wave: records.positiveNumber }),
  z.object({ of: z.literal("all") }),
]);

/** A bare file name in `sdd/steering`, so that no line leaves the folder. */
export const STEERING_FILE_PATTERN = /^[A-Za-z0-9][\w-]{0,59}\.md$/;

/** The session that sent a report, and the agent in it, if the client tells its agents apart. */
export const ReviewReporter = z.object({
  session: records.boundedText(200),
  agent: z.exactOptional(records.boundedText(200)),
});
export type ReviewReporter = records.Immutable<z.infer<typeof ReviewReporter>>;

/** Content of `reviews/B<n>.yaml`. */
export const StoredReview = z.object({
  batch: batchId,
  kind: z.enum(REVIEW_KINDS),
  scope: ReviewScope,
  at: records.Timestamp,
  of: text,
  verdict: z.enum(REVIEW_VERDICTS),
  computed: z.enum(REVIEW_VERDICTS),
  override: z.nullable(z.object({ verdict: z.enum(REVIEW_VERDICTS), reason: text })),
  disposition: z.enum(REVIEW_DISPOSITIONS),
  counts: z.object({ C: records.countNumber, H: records.countNumber, M: records.countNumber, L: records.countNumber }),
  inspectors: texts,
  missing: texts,
  /** Who reported each view, and the audit. Absent in older reviews. */
  reports: z.exactOptional(listOf(z.extend(ReviewReporter, { by: text }))),
  /** One session and agent sent every report, so no second pair of eyes is known. */
  one_reporter: z.exactOptional(z.boolean()),
  findings: listOf(StoredFinding).check(z.refine((all) => new Set(all.map(({ id }) => id)).size === all.length)),
  removed: listOf(z.object({ agent: text, reason: text, finding: text })),
  resolved_conflicts: listOf(z.object({ agents: texts, resolution: text, conflict: text })),
  unresolved: texts,
  spec_feedback: listOf(z.object({ part: z.enum(["specifications", "design"]), spec: text, description: text })),
  steering: listOf(
    z.object({
      /** CODIFY records existing practice. PROPOSE asks for a new rule. */
      level: z.enum(["CODIFY", "PROPOSE"]),
      file: z.string().check(z.regex(STEERING_FILE_PATTERN)),
      text,
      answer: z.enum(["applied", "waiting", "approved", "rejected", "excepted"]),
    }),
  ),
  mended: listOf(ReviewFinding),
  notes: texts,
});
export type StoredReview = records.Immutable<z.infer<typeof StoredReview>>;

export const InspectionResult = z.object({
  scope: z.string(),
  /** The inspector's own verdict. The engine does not rely on it. */
  verdict: z.exactOptional(z.enum(REVIEW_VERDICTS)),
  findings: z.array(ReviewFinding),
  notes: z.array(z.string()),
});
export type InspectionResult = records.Immutable<z.infer<typeof InspectionResult>>;

export interface AuditResult extends Pick<StoredReview, "removed" | "unresolved" | "spec_feedback" | "notes"> {
  readonly scope: string;
  readonly verdict: ReviewVerdict;
  /** Argument for a verdict that differs from the computed one. */
  readonly reason?: string;
  readonly verified: readonly ReviewFinding[];
  readonly resolved: StoredReview["resolved_conflicts"];
  readonly steering: readonly Omit<StoredReview["steering"][number], "answer">[];
  readonly roadmap_advisory: readonly string[];
}
