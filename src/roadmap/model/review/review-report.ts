import { parseCpfLines, formatCpfReport } from "./cpf-format.ts";
import {
  type RejectedReport,
  type ReportForm,
  type ParsedReviewReport,
  readReportLines,
  isRejectedReport,
} from "./report-form.ts";
import { isJsonReport, parseJsonReport } from "./report-json.ts";
import {
  type ReviewFinding,
  type InspectionResult,
  REVIEW_VERDICTS,
  FINDING_SEVERITIES,
  type AuditResult,
  STEERING_FILE_PATTERN,
} from "./review-finding.ts";

import { quote } from "#kernel/model/text-format.ts";
import type { ReviewScope } from "../lead/lead-state.ts";

/** The first character decides between CPF and JSON. */
function parseReviewReport(text: string, form: ReportForm): ParsedReviewReport | RejectedReport {
  const read = readReportLines(text);
  if ("problems" in read) return read;
  return isJsonReport(read.lines) ? parseJsonReport(read.lines, form) : parseCpfLines(read.lines, form);
}

/** Inspectors of dead code may give one category for all rows, which then have three fields. */
export const INSPECTION_FORM: ReportForm = {
  name: "an inspection",
  metadata: [
    { keyword: "VERDICT", name: "verdict", oneOf: REVIEW_VERDICTS, missing: "absent" },
    { keyword: "SCOPE", name: "scope", missing: "empty" },
    { keyword: "CATEGORY", name: "category", missing: "absent" },
  ],
  sections: [
    {
      keyword: "ISSUES",
      name: "findings",
      fields: [
        { name: "severity", oneOf: FINDING_SEVERITIES },
        { name: "category" },
        { name: "location" },
        { name: "description" },
        { name: "sources", isList: true, isJsonOnly: true },
      ],
    },
    { keyword: "NOTES", name: "notes", fields: "free" },
  ],
  filler: { keyword: "CATEGORY", section: "ISSUES", field: "category" },
};

/** Findings without sources belong to the inspector. */
export function parseInspectionReport(text: string, inspector?: string): InspectionResult | RejectedReport {
  const told = parseReviewReport(text, INSPECTION_FORM);
  if (isRejectedReport(told)) return told;
  if (Object.values(told).every((said) => said.length === 0)) {
    return { problems: [{ problem: "The inspection says nothing: whoever found nothing gives a verdict." }] };
  }
  const { category: _category, ...inspection } = told as unknown as UnsignedInspection;
  const sources = inspector === undefined ? [] : [inspector];
  return { ...inspection, findings: inspection.findings.map((finding) => ({ sources, ...finding })) };
}

interface UnsignedInspection extends Omit<InspectionResult, "findings"> {
  readonly category?: string;
  readonly findings: readonly (Omit<ReviewFinding, "sources"> & Partial<Pick<ReviewFinding, "sources">>)[];
}

/** CPF has no sources: the reporter is the source. */
export const formatInspectionReport = (inspection: InspectionResult): string =>
  formatCpfReport({ ...inspection, findings: inspection.findings.map((finding) => ({ ...finding })) }, INSPECTION_FORM);

const STEERING_FILE_FORM = {
  holds: (text: string) => STEERING_FILE_PATTERN.test(text),
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

export const formatReviewScope = (scope: ReviewScope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? `wave-1..${scope.wave}` : "cross-check";

/** Why a report has the wrong scope. A report without a scope is accepted. */
export function findScopeMismatch(scope: ReviewScope, said: string): string | undefined {
  const told = said.trim().toLowerCase();
  if (told === "" || told === formatReviewScope(scope) || listScopeAliases(scope).includes(told)) return undefined;
  const name = formatReviewScope(scope);
  return `The report is of ${quote(said, 60)}, and ${name} was asked about. Look at that, and report it with SCOPE:${name}.`;
}

function listScopeAliases(scope: ReviewScope): readonly string[] {
  if (scope.of === "wave") return [`wave-${scope.wave}`, "wave-scoped-cross-check"];
  return scope.of === "all" ? ["all"] : [];
}
