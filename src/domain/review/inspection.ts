import { writeCpf } from "./cpf.ts";
import { type Finding, type Inspection, REVIEW_VERDICTS, SEVERITIES } from "./finding.ts";
import { isRefused, type Refused, type ReportForm } from "./report-form.ts";
import { readTold } from "./told.ts";

/** Inspectors of dead code may give one category for all rows, which then have three fields. */
export const INSPECTION: ReportForm = {
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
        { name: "severity", oneOf: SEVERITIES },
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
export function parseInspection(text: string, inspector?: string): Inspection | Refused {
  const told = readTold(text, INSPECTION);
  if (isRefused(told)) return told;
  if (Object.values(told).every((said) => said.length === 0)) {
    return { problems: [{ problem: "The inspection says nothing: whoever found nothing gives a verdict." }] };
  }
  const { category: _category, ...inspection } = told as unknown as Unsigned;
  const sources = inspector === undefined ? [] : [inspector];
  return { ...inspection, findings: inspection.findings.map((finding) => ({ sources, ...finding })) };
}

interface Unsigned extends Omit<Inspection, "findings"> {
  readonly category?: string;
  readonly findings: readonly (Omit<Finding, "sources"> & Partial<Pick<Finding, "sources">>)[];
}

/** CPF has no sources: the reporter is the source. */
export const writeInspection = (inspection: Inspection): string =>
  writeCpf({ ...inspection, findings: inspection.findings.map((finding) => ({ ...finding })) }, INSPECTION);
