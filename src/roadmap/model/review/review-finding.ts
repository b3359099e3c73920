import * as z from "zod/mini";

export const REVIEW_KINDS = ["design", "impl", "dead-code"] as const;
export type ReviewKind = (typeof REVIEW_KINDS)[number];

/** Critical, high, medium, low. */
export const FINDING_SEVERITIES = ["C", "H", "M", "L"] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

export const REVIEW_VERDICTS = ["GO", "CONDITIONAL", "NO-GO", "SPEC-UPDATE-NEEDED"] as const;
export type ReviewVerdict = (typeof REVIEW_VERDICTS)[number];

export const REVIEW_DISPOSITIONS = [
  "GO-ACCEPTED",
  "CONDITIONAL-TRACKED",
  "NO-GO-FIXED",
  "SPEC-UPDATE-CASCADED",
  "ESCALATED",
] as const;
export type ReviewDisposition = (typeof REVIEW_DISPOSITIONS)[number];

export interface ReviewFinding {
  readonly severity: FindingSeverity;
  /** As `signature-mismatch`. */
  readonly category: string;
  readonly location: string;
  readonly description: string;
  readonly sources: readonly string[];
}

export interface KnownReviewFinding extends ReviewFinding {
  readonly waived?: string;
}

/** CODIFY records existing practice. PROPOSE asks for a new rule. */
interface AuditSteeringLine {
  readonly level: "CODIFY" | "PROPOSE";
  readonly file: string;
  readonly text: string;
}

interface AuditSpecFeedback {
  readonly part: "specifications" | "design";
  readonly spec: string;
  readonly description: string;
}

export interface InspectionResult {
  readonly scope: string;
  /** The inspector's own verdict. The engine does not rely on it. */
  readonly verdict?: ReviewVerdict;
  readonly findings: readonly ReviewFinding[];
  readonly notes: readonly string[];
}

export interface AuditResult {
  readonly scope: string;
  readonly verdict: ReviewVerdict;
  /** Argument for a verdict that differs from the computed one. */
  readonly reason?: string;
  readonly verified: readonly ReviewFinding[];
  readonly removed: readonly { readonly agent: string; readonly reason: string; readonly finding: string }[];
  readonly resolved: readonly {
    readonly agents: readonly string[];
    readonly resolution: string;
    readonly conflict: string;
  }[];
  readonly unresolved: readonly string[];
  readonly spec_feedback: readonly AuditSpecFeedback[];
  readonly steering: readonly AuditSteeringLine[];
  readonly notes: readonly string[];
  readonly roadmap_advisory: readonly string[];
}

export function parseBatchNumber(batch: string): number | undefined {
  return /^B[1-9]\d{0,5}$/.test(batch) ? Number(batch.slice(1)) : undefined;
}

export const isBatchId = (value: unknown): boolean =>
  typeof value === "string" && parseBatchNumber(value) !== undefined;

export const batchId = z.string().check(z.refine(isBatchId));
