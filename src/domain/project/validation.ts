import { renderTemplate } from "../template.ts";
import type { CoverageFacts, CoverageFinding } from "./coverage.ts";
import type { ProjectMode } from "./flow.ts";
import type { ProjectValidation } from "./record.ts";

interface ValidationTexts {
  readonly consistency_issues: string;
  readonly risk_assessment?: string | undefined;
  readonly recommendations?: string | undefined;
  readonly design_quality?: string | undefined;
}

interface ValidationReportParts {
  readonly mode: ProjectMode;
  readonly validation: ProjectValidation;
  readonly facts: CoverageFacts;
  readonly texts: ValidationTexts;
}

export function renderValidationReport(
  template: string,
  { mode, validation, facts, texts }: ValidationReportParts,
): string {
  return renderTemplate(template, {
    guided: mode === "guided",
    verdict: validation.verdict,
    facts: validation.facts,
    override: validation.override ?? "",
    coverage: formatCoverageTable(facts),
    failures: formatFindingList(facts.failures),
    warnings: formatFindingList(facts.warnings),
    consistency_issues: texts.consistency_issues,
    risk_assessment: texts.risk_assessment ?? "",
    recommendations: texts.recommendations ?? "",
    design_quality: texts.design_quality ?? "",
  });
}

function formatCoverageTable({ coverage }: CoverageFacts): string {
  const rows = coverage.map(({ id, components, tasks }) => [
    id,
    components.join(", ") || "none",
    tasks.join(", ") || "none",
  ]);
  return [["requirement", "components", "tasks"], ["---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}

const formatFindingList = (findings: readonly CoverageFinding[]): string =>
  findings.map(({ finding }) => `- ${finding}`).join("\n");
