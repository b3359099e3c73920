import { formatMarkdownTable } from "#kernel/model/document/markdown-table.ts";
import { computeWeightedTotals, findOptionScore } from "./spec-checks.ts";
import type { ResearchSpec } from "./spec-schemas.ts";

export interface ResearchDecision {
  readonly option: string;
  readonly context: string;
  readonly rationale: string;
  readonly alternatives: string;
  /** Sections that only the decision of a research has, by heading. */
  readonly sections: readonly (readonly [heading: string, text: string])[];
}

export function describeResearchDecision(spec: ResearchSpec): ResearchDecision {
  const { options, decision, recommendation, trade_offs = [] } = spec;
  const option = decision.option ?? recommendation.option ?? "";
  const chosen = options.find(({ name }) => name === option);
  const listed = typeof trade_offs === "string" ? trade_offs : trade_offs.map((each) => `- ${each}`).join("\n");
  const consequences = [
    ...(chosen?.pros ?? []).map((each) => `- gain: ${each}`),
    ...(chosen?.cons ?? []).map((each) => `- price: ${each}`),
    ...(chosen?.cost === undefined ? [] : [`- cost: ${chosen.cost}`]),
  ];
  return {
    option,
    context: `Research ${spec.id} compared ${options.map(({ name }) => name).join(", ")}.`,
    rationale: recommendation.rationale ?? "",
    alternatives: options
      .filter(({ name }) => name !== option)
      .map(formatRejectedOption)
      .join("\n\n"),
    sections: [
      ["Decision matrix", formatDecisionMatrix(spec)],
      ["Trade-offs", listed],
      ["Consequences", consequences.join("\n")],
    ],
  };
}

function formatDecisionMatrix(spec: ResearchSpec): string {
  const { criteria } = spec.matrix;
  if (criteria.length === 0) return "";
  const names = spec.options.map(({ name }) => name);
  const totals = new Map(computeWeightedTotals(spec).map(({ option, total }) => [option, total]));
  const escapeCell = (text: string): string => text.replaceAll("|", "\\|");
  const rows = criteria.map(({ name, weight = 0 }) => [
    escapeCell(name),
    String(weight),
    ...names.map((option) => String(findOptionScore(spec, option, name) ?? "")),
  ]);
  const sum = ["**Total**", "", ...names.map((option) => `**${totals.get(option) ?? 0}**`)];
  return formatMarkdownTable(["Criterion", "Weight", ...names.map(escapeCell)], [...rows, sum]);
}

const formatRejectedOption = ({ name, description = "", pros, cons, cost }: ResearchSpec["options"][number]): string =>
  [
    `### ${name}`,
    description,
    ...pros.map((each) => `- for it: ${each}`),
    ...cons.map((each) => `- against it: ${each}`),
    ...(cost === undefined ? [] : [`- cost: ${cost}`]),
  ].join("\n");
