import { parseCpfLines } from "./cpf.ts";
import type { RejectedReport, ReportForm, ParsedReviewReport } from "./report-form.ts";
import { isJsonReport, parseJsonReport } from "./report-json.ts";
import { readReportLines } from "./report-lines.ts";

/** The first character decides between CPF and JSON. */
export function parseReviewReport(text: string, form: ReportForm): ParsedReviewReport | RejectedReport {
  const read = readReportLines(text);
  if ("problems" in read) return read;
  return isJsonReport(read.lines) ? parseJsonReport(read.lines, form) : parseCpfLines(read.lines, form);
}
