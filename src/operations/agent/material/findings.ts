import type { BriefPiece } from "#domain/agent/brief.ts";
import {
  type ReviewFinding,
  type InspectionResult,
  type KnownReviewFinding,
  FINDING_SEVERITIES,
} from "#domain/review/finding.ts";
import { formatInspectionReport } from "#domain/review/inspection.ts";
import { createListPiece, type PieceWeight } from "./pieces.ts";

/** In the inspectors' format, most severe first, so agents can report them again verbatim. */
export function createFindingsPiece(
  label: string,
  found: readonly ReviewFinding[],
  of: PieceWeight & Pick<BriefPiece, "where">,
): BriefPiece[] {
  const rows = formatInspectionLines({ scope: "", findings: found, notes: [] }).slice(INSPECTION_HEADER_LINES);
  return createListPiece(label, rows, { unit: "finding", ...of });
}

export const createWaivedPiece = (
  label: string,
  found: readonly KnownReviewFinding[],
  of: PieceWeight & Pick<BriefPiece, "where">,
): BriefPiece[] =>
  createListPiece(
    label,
    sortBySeverity(found).flatMap((finding) => {
      const [row = ""] = formatInspectionLines({ scope: "", findings: [finding], notes: [] }).slice(
        INSPECTION_HEADER_LINES,
      );
      return [`${row}\nWaived: ${finding.waived ?? ""}`];
    }),
    { unit: "finding", ...of },
  );

/** `SCOPE:` and `ISSUES:`. */
const INSPECTION_HEADER_LINES = 2;

export const formatInspectionLines = (inspection: InspectionResult): string[] =>
  formatInspectionReport({ ...inspection, findings: sortBySeverity(inspection.findings) })
    .trimEnd()
    .split("\n");

function sortBySeverity<T extends ReviewFinding>(found: readonly T[]): T[] {
  const rank = ({ severity }: ReviewFinding): number => FINDING_SEVERITIES.indexOf(severity);
  return found.toSorted((one, other) => rank(one) - rank(other));
}
