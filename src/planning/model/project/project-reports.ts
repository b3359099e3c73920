import { formatMarkdownTable } from "#kernel/model/document/markdown-table.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { CLARITY_THRESHOLDS } from "./clarity-gate.ts";
import type { ProjectRecord, ClarityRound, ProjectValidation } from "./project-record.ts";
import type { CoverageFacts, CoverageFinding } from "./design-coverage.ts";
import type { ProjectMode } from "#kernel/model/stages/project-stages.ts";

/** Rendered from the record each time and never read back. */
export function renderClarityReport(template: string, { mode, rounds }: ProjectRecord): string {
  const last = rounds.at(-1);
  const rows = (last?.dimensions ?? []).map(({ dimension, score, counted, evidence, found_in, waiver }) => {
    const shown = found_in === undefined ? "none" : `"${sanitizeText(evidence ?? "", 200)}" (${found_in})`;
    const reason = waiver ? `${shown}; waived: ${sanitizeText(waiver, 400)}` : shown;
    return [dimension, String(score), String(counted), reason];
  });
  return renderTemplate(template, {
    guided: mode === "guided",
    mode,
    score: String(last?.score ?? 0),
    threshold: String(last?.threshold ?? CLARITY_THRESHOLDS[mode]),
    outcome: last?.passed ? "The gate passed." : "The gate did not pass.",
    dimensions: last ? formatReportTable(["dimension", "said", "counts", "evidence"], rows) : "None yet.",
    rounds: rounds.map(formatRoundSection).join("\n\n") || "None yet.",
  });
}

const formatReportTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  formatMarkdownTable(
    columns,
    rows.map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|"))),
  );

/** Quotes the answers, so that their markdown cannot change the document's structure. */
function formatRoundSection(round: ClarityRound, i: number): string {
  const { at, score, threshold, answers, answered_by, dimensions } = round;
  const scores = dimensions.map(({ dimension, counted }) => `${dimension} ${counted}`).join(", ");
  const quoted = answers?.split("\n").map((line) => `> ${line}`.trimEnd());
  const source = answered_by === undefined ? "" : `\n\nAnswered by ${answered_by}.`;
  const said = quoted ? `${quoted.join("\n")}${source}` : "No answers.";
  return `### Round ${i + 1}, ${at.slice(0, 10)}: ${score}, with ${threshold} needed\n\n${scores}\n\n${said}`;
}

const VALIDATION_TEXTS = ["consistency_issues", "risk_assessment", "recommendations", "design_quality"];

interface ValidationReport {
  readonly mode: ProjectMode;
  readonly validation: ProjectValidation;
  readonly facts: CoverageFacts;
  readonly texts: Readonly<Record<string, string | undefined>>;
}

const formatOverride = ({ override = "", approved_by: source }: ProjectValidation): string =>
  source === undefined ? override : `${override}\n\nApproved by ${source}.`;

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
    override: formatOverride(validation),
    coverage: formatReportTable(["requirement", "components", "tasks"], rows),
    failures: formatFindings(facts.failures),
    warnings: formatFindings(facts.warnings),
    ...Object.fromEntries(VALIDATION_TEXTS.map((name) => [name, texts[name] ?? ""])),
  });
}
