import type { Piece } from "#domain/agent/brief.ts";
import { type Finding, type Inspection, SEVERITIES } from "#domain/review/finding.ts";
import { writeInspection } from "#domain/review/inspection.ts";
import { list, type Weight } from "./pieces.ts";

/** As inspectors report it, the gravest first, so that it can be reported again in the same words. */
export function findings(label: string, found: readonly Finding[], of: Weight & Pick<Piece, "where">): Piece[] {
  const rows = inspectionLines({ scope: "", findings: found, notes: [] }).slice(HEADS);
  return list(label, rows, { unit: "finding", ...of });
}

/** `SCOPE:` and `ISSUES:`. */
const HEADS = 2;

/** An inspection as CPF, the gravest findings first. */
export const inspectionLines = (inspection: Inspection): string[] =>
  writeInspection({ ...inspection, findings: gravestFirst(inspection.findings) })
    .trimEnd()
    .split("\n");

function gravestFirst(found: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);
  return found.toSorted((one, other) => rank(one) - rank(other));
}
