import { type FindingConfidence, listFindingLinks, formatFindingLink } from "../finding.ts";
import type { RatedFinding } from "../survey.ts";

const MAX_EVIDENCE_LINKS = 5;

/** ` (evidence: src/app.ts:12; confidence: high)`, the end of every drafted line. */
export function formatEvidence(...findings: readonly RatedFinding[]): string {
  const links = [...new Set(findings.flatMap(listFindingLinks).map(formatFindingLink))].slice(0, MAX_EVIDENCE_LINKS);
  return ` (evidence: ${links.join(", ")}; confidence: ${findLowestConfidence(findings)})`;
}

/** A line has the lowest confidence of its findings. */
function findLowestConfidence(findings: readonly RatedFinding[]): FindingConfidence {
  const all = new Set(findings.map(({ confidence }) => confidence));
  return all.has("low") ? "low" : all.has("medium") ? "medium" : "high";
}

/** Lines of one section; the scan lists the rest. */
const MAX_SECTION_LINES = 400;

export function formatDraftSection(heading: string, lines: readonly string[], looked: string): string {
  if (lines.length === 0) return `${heading}\n\nNone found. Looked at: ${looked}.`;
  const rest = lines.length - MAX_SECTION_LINES;
  const more =
    rest > 0
      ? `\n\n${rest} more lines were left out; \`tenon adopt scan --detail-level full\` lists what they say.`
      : "";
  return `${heading}\n\n${lines.slice(0, MAX_SECTION_LINES).join("\n")}${more}`;
}

export const formatDraftDocument = (title: string, header: string, sections: readonly string[]): string =>
  `${[`# ${title}`, header, ...sections].join("\n\n")}\n`;
