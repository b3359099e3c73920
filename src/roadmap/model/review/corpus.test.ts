import fs from "node:fs";
import { expect, test } from "vitest";
import { parseAuditReport, formatAuditReport, parseInspectionReport, formatInspectionReport } from "./review-report.ts";
import { isRejectedReport } from "./report-form.ts";

/**
 * Odd reports, and what each comes to: what was read, or every problem with its line. `UPDATE=1` rewrites the outcomes;
 * read them as the answers that agents get.
 */
const folder = new URL("../../../../test/fixtures/cpf/", import.meta.url);
const outcomes = new URL("outcomes.json", folder);
const names = fs.readdirSync(folder).filter((name) => name.endsWith(".txt"));
const textOf = (name: string): string => fs.readFileSync(new URL(name, folder), "utf8");
const read = (name: string, text: string): object =>
  name.startsWith("audit-") ? parseAuditReport(text) : parseInspectionReport(text);

test("reads every report of the corpus as recorded", () => {
  const found = Object.fromEntries(names.toSorted().map((name) => [name, read(name, textOf(name))]));
  if (process.env["UPDATE"]) fs.writeFileSync(outcomes, `${JSON.stringify(found, null, 2)}\n`);
  expect(found).toEqual(JSON.parse(fs.readFileSync(outcomes, "utf8")));
  expect(names.length).toBeGreaterThan(40);
});

test.each(names)("writes %s after reading it, and reads it back", (name) => {
  const text = textOf(name);
  const again = name.startsWith("audit-") ? auditAgain(text) : inspectionAgain(text);
  expect(again).toEqual(read(name, text));
});

function auditAgain(text: string): object {
  const audit = parseAuditReport(text);
  return isRejectedReport(audit) ? audit : parseAuditReport(formatAuditReport(audit));
}

function inspectionAgain(text: string): object {
  const inspection = parseInspectionReport(text);
  return isRejectedReport(inspection) ? inspection : parseInspectionReport(formatInspectionReport(inspection));
}

test.each(names)("reads or rejects %s, cut anywhere, and never finds more than in the whole report", (name) => {
  const text = textOf(name);
  const whole = JSON.stringify(read(name, text)).length;
  const cuts = Array.from({ length: Math.min(text.length, 200) }, (_, at) => Math.floor((at * text.length) / 200));
  const longer = cuts.filter((cut) => {
    const told = read(name, text.slice(0, cut));
    return !isRejectedReport(told) && JSON.stringify(told).length > whole && !isRejectedReport(read(name, text));
  });
  expect(longer).toEqual([]);
});
