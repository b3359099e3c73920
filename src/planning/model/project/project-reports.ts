import { sanitizeText } from "#kernel/model/text-format.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { CLARITY_THRESHOLDS } from "./clarity-gate.ts";
import type { ProjectRecord, ClarityRound, ProjectValidation } from "./project-record.ts";
import type { CoverageFacts, CoverageFinding } from "./design-coverage.ts";
import type { ProjectMode } from "#kernel/model/stages/project-stages.ts";

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
    const reason = waiver ? `${shown}; waived: ${sanitizeText(waiver, 400)}` : shown;
    return [dimension, String(score), String(counted), reason];
  });
  return formatMarkdownTable(["dimension", "said", "counts", "evidence"], rows);
}

const formatMarkdownTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

/** Quotes the answers, so that their markdown cannot change the document's structure. */
function formatRoundSection({ at, score, threshold, answers, dimensions }: ClarityRound, i: number): string {
  const scores = dimensions.map(({ dimension, counted }) => `${dimension} ${counted}`).join(", ");
  const quoted = answers?.split("\n").map((line) => `> ${line}`.trimEnd());
  const said = quoted?.join("\n") ?? "No answers.";
  return `### Round ${i + 1}, ${at.slice(0, 10)}: ${score}, with ${threshold} needed\n\n${scores}\n\n${said}`;
}

interface ValidationReport {
  readonly mode: ProjectMode;
  readonly validation: ProjectValidation;
  readonly facts: CoverageFacts;
  readonly texts: {
    readonly consistency_issues: string;
    readonly risk_assessment?: string | undefined;
    readonly recommendations?: string | undefined;
    readonly design_quality?: string | undefined;
  };
}

export function renderValidationReport(template: string, report: ValidationReport): string {
  const { mode, validation, facts, texts } = report;
  const rows = facts.coverage.map(({ id, components, tasks }) => [
    id,
    components.join(", ") || "none",
    tasks.join(", ") || "none",
  ]);
  const formatFindings = (findings: readonly CoverageFinding[]): string =>
    findings.map(({ finding }) => `- ${finding}`).join("\n");
  return renderTemplate(template, {
    guided: mode === "guided",
    verdict: validation.verdict,
    facts: validation.facts,
    override: validation.override ?? "",
    coverage: formatMarkdownTable(["requirement", "components", "tasks"], rows),
    failures: formatFindings(facts.failures),
    warnings: formatFindings(facts.warnings),
    consistency_issues: texts.consistency_issues,
    risk_assessment: texts.risk_assessment ?? "",
    recommendations: texts.recommendations ?? "",
    design_quality: texts.design_quality ?? "",
  });
}
