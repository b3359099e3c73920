import { sanitizeText } from "../quote.ts";
import { renderTemplate } from "../template.ts";
import { CLARITY_THRESHOLDS } from "./clarity.ts";
import type { ProjectRecord, ClarityRound } from "./record.ts";

/** Rendered from the record each time and never read back. */
export function renderClarityReport(template: string, { mode, rounds }: ProjectRecord): string {
  const last = rounds.at(-1);
  return renderTemplate(template, {
    guided: mode === "guided",
    mode,
    score: String(last?.score ?? 0),
    threshold: String(last?.threshold ?? CLARITY_THRESHOLDS[mode]),
    outcome: last?.passed ? "The gate is passed." : "The gate is not passed.",
    dimensions: last ? formatDimensionTable(last) : "None yet.",
    rounds: rounds.map(formatRoundSection).join("\n\n") || "None yet.",
  });
}

function formatDimensionTable({ dimensions }: ClarityRound): string {
  const rows = dimensions.map(({ dimension, score, counted, evidence, found_in, waiver }) => {
    const shown = found_in === undefined ? "none" : `"${sanitizeText(evidence ?? "", 200)}" (${found_in})`;
    return [
      dimension,
      String(score),
      String(counted),
      [shown, ...(waiver ? [`waived: ${sanitizeText(waiver, 400)}`] : [])].join("; "),
    ];
  });
  return [["dimension", "said", "counts", "evidence"], ["---", "---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}

/** Quotes the answers, so that their markdown cannot change the document's structure. */
function formatRoundSection({ at, score, threshold, answers, dimensions }: ClarityRound, i: number): string {
  const scores = dimensions.map(({ dimension, counted }) => `${dimension} ${counted}`).join(", ");
  const said =
    answers === undefined
      ? "No answers."
      : answers
          .split("\n")
          .map((line) => `> ${line}`.trimEnd())
          .join("\n");
  return `### Round ${i + 1}, ${at.slice(0, 10)}: ${score}, with ${threshold} needed\n\n${scores}\n\n${said}`;
}
