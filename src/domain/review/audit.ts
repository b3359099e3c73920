import { formatCpfReport } from "./cpf.ts";
import { type AuditResult, REVIEW_VERDICTS, FINDING_SEVERITIES } from "./finding.ts";
import { isRejectedReport, type RejectedReport, type ReportForm, type ParsedReviewReport } from "./report-form.ts";
import { isSteeringFileName } from "./stored-shape.ts";
import { parseReviewReport } from "./told.ts";

const STEERING_FILE_FORM = {
  holds: isSteeringFileName,
  said: "the bare name of a file in sdd/steering, such as tech.md",
};

export const AUDIT_FORM: ReportForm = {
  name: "an audit",
  metadata: [
    { keyword: "VERDICT", name: "verdict", oneOf: REVIEW_VERDICTS, missing: "refused" },
    { keyword: "REASON", name: "reason", missing: "absent" },
    { keyword: "SCOPE", name: "scope", missing: "empty" },
    // The engine already knows the wave.
    { keyword: "WAVE_SCOPE", name: "wave_scope", missing: "absent", isDropped: true },
    { keyword: "SPECS_IN_SCOPE", name: "specs_in_scope", missing: "absent", isDropped: true },
  ],
  sections: [
    {
      keyword: "VERIFIED",
      name: "verified",
      fields: [
        { name: "sources", isList: true },
        { name: "severity", oneOf: FINDING_SEVERITIES },
        { name: "category" },
        { name: "location" },
        { name: "description" },
      ],
    },
    { keyword: "REMOVED", name: "removed", fields: [{ name: "agent" }, { name: "reason" }, { name: "finding" }] },
    {
      keyword: "RESOLVED",
      name: "resolved",
      fields: [{ name: "agents", isList: true }, { name: "resolution" }, { name: "conflict" }],
    },
    { keyword: "UNRESOLVED", name: "unresolved", fields: "free" },
    {
      keyword: "SPEC_FEEDBACK",
      name: "spec_feedback",
      fields: [{ name: "part", oneOf: ["specifications", "design"] }, { name: "spec" }, { name: "description" }],
    },
    {
      keyword: "STEERING",
      name: "steering",
      fields: [
        { name: "level", oneOf: ["CODIFY", "PROPOSE"] },
        { name: "file", like: STEERING_FILE_FORM },
        { name: "text" },
      ],
    },
    { keyword: "NOTES", name: "notes", fields: "free" },
    { keyword: "ROADMAP_ADVISORY", name: "roadmap_advisory", fields: "free" },
  ],
};

export function parseAuditReport(text: string): AuditResult | RejectedReport {
  const told = parseReviewReport(text, AUDIT_FORM);
  return isRejectedReport(told) ? told : (told as unknown as AuditResult);
}

export const formatAuditReport = (audit: AuditResult): string =>
  formatCpfReport(audit as unknown as ParsedReviewReport, AUDIT_FORM);
