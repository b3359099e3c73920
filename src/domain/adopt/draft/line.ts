import { type Confidence, linksOf, showLink } from "../finding.ts";
import type { Known } from "../survey.ts";

const MOST_LINKS = 5;

/** ` (evidence: src/app.ts:12; confidence: high)`, the end of every drafted line. */
export function evidence(...findings: readonly Known[]): string {
  const links = [...new Set(findings.flatMap(linksOf).map(showLink))].slice(0, MOST_LINKS);
  return ` (evidence: ${links.join(", ")}; confidence: ${least(findings)})`;
}

/** A line has the lowest confidence of its findings. */
function least(findings: readonly Known[]): Confidence {
  const all = new Set(findings.map(({ confidence }) => confidence));
  return all.has("low") ? "low" : all.has("medium") ? "medium" : "high";
}

/** Lines of one section; the scan lists the rest. */
const MOST_LINES = 400;

export function section(heading: string, lines: readonly string[], looked: string): string {
  if (lines.length === 0) return `${heading}\n\nNone found. Looked at: ${looked}.`;
  const rest = lines.length - MOST_LINES;
  const more =
    rest > 0
      ? `\n\n${rest} more lines were left out; \`tenon adopt scan --detail-level full\` lists what they say.`
      : "";
  return `${heading}\n\n${lines.slice(0, MOST_LINES).join("\n")}${more}`;
}

export const document = (title: string, header: string, sections: readonly string[]): string =>
  `${[`# ${title}`, header, ...sections].join("\n\n")}\n`;
