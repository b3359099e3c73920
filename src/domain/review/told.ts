import { cpfIn } from "./cpf.ts";
import type { Refused, ReportForm, Told } from "./report-form.ts";
import { isJson, jsonIn } from "./report-json.ts";
import { reportLines } from "./report-lines.ts";

/** The first character decides between CPF and JSON. */
export function readTold(text: string, form: ReportForm): Told | Refused {
  const read = reportLines(text);
  if ("problems" in read) return read;
  return isJson(read.lines) ? jsonIn(read.lines, form) : cpfIn(read.lines, form);
}
