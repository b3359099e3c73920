import { plain } from "../quote.ts";
import { renderTemplate } from "../template.ts";
import { THRESHOLD } from "./clarity.ts";
import type { ProjectRecord, Round } from "./record.ts";

/** Rendered from the record each time and never read back. */
export function renderClarifications(template: string, { mode, rounds }: ProjectRecord): string {
  const last = rounds.at(-1);
  return renderTemplate(template, {
    guided: mode === "guided",
    mode,
    score: String(last?.score ?? 0),
    threshold: String(last?.threshold ?? THRESHOLD[mode]),
    outcome: last?.passed ? "The gate is passed." : "The gate is not passed.",
    dimensions: last ? table(last) : "None yet.",
    rounds: rounds.map(section).join("\n\n") || "None yet.",
  });
}

function table({ dimensions }: Round): string {
  const rows = dimensions.map(({ dimension, score, counted, evidence, found_in, waiver }) => {
    const shown = found_in === undefined ? "none" : `"${plain(evidence ?? "", 200)}" (${found_in})`;
    return [
      dimension,
      String(score),
      String(counted),
      [shown, ...(waiver ? [`waived: ${plain(waiver, 400)}`] : [])].join("; "),
    ];
  });
  return [["dimension", "said", "counts", "evidence"], ["---", "---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}

/** Quotes the answers, so that their markdown cannot change the document's structure. */
function section({ at, score, threshold, answers, dimensions }: Round, i: number): string {
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
