import { cpfIn } from "./cpf.ts";
import type { Refused, ReportForm, Told } from "./report-form.ts";
import { isJson, jsonIn } from "./report-json.ts";
import { reportLines } from "./report-lines.ts";

/** A report in CPF or in JSON, as its first character tells. */
export function readTold(text: string, form: ReportForm): Told | Refused {
  const read = reportLines(text);
  if ("problems" in read) return read;
  return isJson(read.lines) ? jsonIn(read.lines, form) : cpfIn(read.lines, form);
}
