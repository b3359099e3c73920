import { renderTemplate } from "../template.ts";
import type { Facts, Finding } from "./coverage.ts";
import type { Mode } from "./flow.ts";
import type { Validation } from "./record.ts";

interface Texts {
  readonly consistency_issues: string;
  readonly risk_assessment?: string | undefined;
  readonly recommendations?: string | undefined;
  readonly design_quality?: string | undefined;
}

interface Parts {
  readonly mode: Mode;
  readonly validation: Validation;
  readonly facts: Facts;
  readonly texts: Texts;
}

export function renderValidation(template: string, { mode, validation, facts, texts }: Parts): string {
  return renderTemplate(template, {
    guided: mode === "guided",
    verdict: validation.verdict,
    facts: validation.facts,
    override: validation.override ?? "",
    coverage: coverageTable(facts),
    failures: list(facts.failures),
    warnings: list(facts.warnings),
    consistency_issues: texts.consistency_issues,
    risk_assessment: texts.risk_assessment ?? "",
    recommendations: texts.recommendations ?? "",
    design_quality: texts.design_quality ?? "",
  });
}

function coverageTable({ coverage }: Facts): string {
  const rows = coverage.map(({ id, components, tasks }) => [
    id,
    components.join(", ") || "none",
    tasks.join(", ") || "none",
  ]);
  return [["requirement", "components", "tasks"], ["---", "---", "---"], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}

const list = (findings: readonly Finding[]): string => findings.map(({ finding }) => `- ${finding}`).join("\n");
