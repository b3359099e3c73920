import { formatCpfReport } from "./cpf.ts";
import { type ReviewFinding, type InspectionResult, REVIEW_VERDICTS, FINDING_SEVERITIES } from "./finding.ts";
import { isRejectedReport, type RejectedReport, type ReportForm } from "./report-form.ts";
import { parseReviewReport } from "./told.ts";

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
