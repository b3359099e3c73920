import type { Piece } from "#domain/agent/brief.ts";
import { type Finding, type Inspection, SEVERITIES } from "#domain/review/finding.ts";
import { list, type Weight } from "./pieces.ts";

/** As inspectors report it, the gravest first, so that it can be reported again in the same words. */
export function findings(label: string, found: readonly Finding[], of: Weight & Pick<Piece, "where">): Piece[] {
  return list(label, gravestFirst(found).map(rowOf), { unit: "finding", ...of });
}

/** An inspection as CPF, the gravest findings first. */
export function inspectionLines({ scope, verdict, findings: found, notes }: Inspection): string[] {
  return [
    ...(verdict === undefined ? [] : [`VERDICT:${verdict}`]),
    `SCOPE:${scope}`,
    ...(found.length === 0 ? [] : ["ISSUES:", ...gravestFirst(found).map(rowOf)]),
    ...(notes.length === 0 ? [] : ["NOTES:", ...notes]),
  ];
}

function gravestFirst(found: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding): number => SEVERITIES.indexOf(severity);
  return found.toSorted((one, other) => rank(one) - rank(other));
}

const rowOf = ({ severity, category, location, description }: Finding): string =>
  [severity, category, location, description].map(escaped).join("|");

const escaped = (field: string): string =>
  field
    .replace(/[\\|+]/g, "\\$&")
    .replace(/\s+/g, " ")
    .trim();
