import type { Piece } from "#domain/agent/brief.ts";
import { type Finding, type Inspection, type KnownFinding, SEVERITIES } from "#domain/review/finding.ts";
import { writeInspection } from "#domain/review/inspection.ts";
import { list, type Weight } from "./pieces.ts";

/** In the inspectors' format, most severe first, so agents can report them again verbatim. */
export function findings(label: string, found: readonly Finding[], of: Weight & Pick<Piece, "where">): Piece[] {
  const rows = inspectionLines({ scope: "", findings: found, notes: [] }).slice(HEADS);
  return list(label, rows, { unit: "finding", ...of });
}

export const waivedFindings = (
  label: string,
  found: readonly KnownFinding[],
  of: Weight & Pick<Piece, "where">,
): Piece[] =>
  list(
    label,
    gravestFirst(found).flatMap((finding) => {
      const [row = ""] = inspectionLines({ scope: "", findings: [finding], notes: [] }).slice(HEADS);
      return [`${row}\nWaived: ${finding.waived ?? ""}`];
    }),
    { unit: "finding", ...of },
  );

/** `SCOPE:` and `ISSUES:`. */
const HEADS = 2;

export const inspectionLines = (inspection: Inspection): string[] =>
  writeInspection({ ...inspection, findings: gravestFirst(inspection.findings) })
    .trimEnd()
    .split("\n");

function gravestFirst<T extends Finding>(found: readonly T[]): T[] {
  const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);
  return found.toSorted((one, other) => rank(one) - rank(other));
}
