/** What is reviewed. */
export const REVIEW_KINDS = ["design", "impl", "dead-code"] as const;
export type ReviewKind = (typeof REVIEW_KINDS)[number];

/** Critical, high, medium, low. */
export const SEVERITIES = ["C", "H", "M", "L"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const REVIEW_VERDICTS = ["GO", "CONDITIONAL", "NO-GO", "SPEC-UPDATE-NEEDED"] as const;
export type ReviewVerdict = (typeof REVIEW_VERDICTS)[number];

/** What was done about a verdict. */
export const DISPOSITIONS = [
  "GO-ACCEPTED",
  "CONDITIONAL-TRACKED",
  "NO-GO-FIXED",
  "SPEC-UPDATE-CASCADED",
  "ESCALATED",
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

/** One thing that reviewers found. */
export interface Finding {
  readonly severity: Severity;
  /** As `signature-mismatch`. */
  readonly category: string;
  /** A file, `Spec 1.AC2`, or what else tells where. */
  readonly location: string;
  readonly description: string;
  /** The inspectors who found it. */
  readonly sources: readonly string[];
}

/** A finding of an earlier batch, with the user's reason where it was waived. */
export interface KnownFinding extends Finding {
  readonly waived?: string;
}

/** A steering line of an auditor: to write down what is so already, or to propose what shall be. */
interface SteeringLine {
  readonly level: "CODIFY" | "PROPOSE";
  /** A file of `sdd/steering`, as `tech.md`. */
  readonly file: string;
  readonly text: string;
}

/** What is wrong with the spec, by an auditor of an implementation. */
interface SpecFeedback {
  readonly part: "specifications" | "design";
  readonly spec: string;
  readonly description: string;
}

/** What an inspector reports. */
export interface Inspection {
  readonly scope: string;
  /** What it thinks itself; the engine does not count on it. */
  readonly verdict?: ReviewVerdict;
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
}

/** What an auditor reports. */
export interface Audit {
  readonly scope: string;
  readonly verdict: ReviewVerdict;
  /** Why the verdict should be another than the findings make it. */
  readonly reason?: string;
  readonly verified: readonly Finding[];
  readonly removed: readonly { readonly agent: string; readonly reason: string; readonly finding: string }[];
  readonly resolved: readonly {
    readonly agents: readonly string[];
    readonly resolution: string;
    readonly conflict: string;
  }[];
  /** Conflicts between inspectors that the auditor could not settle. */
  readonly unresolved: readonly string[];
  readonly spec_feedback: readonly SpecFeedback[];
  readonly steering: readonly SteeringLine[];
  readonly notes: readonly string[];
  readonly roadmap_advisory: readonly string[];
}
