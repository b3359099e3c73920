import { quote } from "../../quote.ts";
import type { SpecProblem } from "./conform.ts";
import { createSpecProblem, type SpecDocument } from "./read.ts";
import type { ResearchSpec } from "./research.ts";

type ResearchDocument = SpecDocument<ResearchSpec>;

const MIN_RESEARCH_OPTIONS = 2;
const MAX_RESEARCH_OPTIONS = 4;

export function checkResearchOptions({ spec, tree }: ResearchDocument): SpecProblem[] {
  const { length } = spec.options;
  const seen = new Set<string>();
  return [
    ...(length < MIN_RESEARCH_OPTIONS || length > MAX_RESEARCH_OPTIONS
      ? [
          createSpecProblem(
            tree,
            ["options"],
            `There must be ${MIN_RESEARCH_OPTIONS} to ${MAX_RESEARCH_OPTIONS} options, not ${length}.`,
          ),
        ]
      : []),
    ...spec.options.flatMap((option, i) => {
      const isTwin = seen.has(option.name);
      seen.add(option.name);
      const lacking = (["pros", "cons"] as const).filter((side) => option[side].length === 0);
      return [
        ...(isTwin
          ? [createSpecProblem(tree, ["options", i], `Two options are called ${quote(option.name, 60)}.`)]
          : []),
        ...lacking.map((side) => createSpecProblem(tree, ["options", i], `${quote(option.name, 60)} has no ${side}.`)),
        ...(option.cost === undefined
          ? [createSpecProblem(tree, ["options", i], `${quote(option.name, 60)} has no cost.`)]
          : []),
      ];
    }),
  ];
}

export function checkDecisionMatrix({ spec, tree }: ResearchDocument): SpecProblem[] {
  const { criteria, scores } = spec.matrix;
  const names = criteria.map(({ name }) => name);
  const options = spec.options.map(({ name }) => name);
  const place = ["matrix", "scores"];
  return [
    ...(names.length === 0 ? [createSpecProblem(tree, ["matrix", "criteria"], "The matrix has no criterion.")] : []),
    ...(names.length > 0 && criteria.every(({ weight = 0 }) => weight === 0)
      ? [createSpecProblem(tree, ["matrix", "criteria"], "No criterion has a weight.")]
      : []),
    ...options.flatMap((option) =>
      names
        .filter((name) => findOptionScore(spec, option, name) === undefined)
        .map((name) =>
          createSpecProblem(tree, [...place, option], `${quote(option, 60)} has no score for ${quote(name, 60)}.`),
        ),
    ),
    ...Object.keys(scores)
      .filter((option) => !options.includes(option))
      .map((option) =>
        createSpecProblem(tree, [...place, option], `${quote(option, 60)} has scores, but is no option.`),
      ),
    ...Object.entries(scores).flatMap(([option, row]) =>
      Object.keys(row)
        .filter((name) => !names.includes(name))
        .map((name) =>
          createSpecProblem(tree, [...place, option, name], `${quote(name, 60)} has a score, but is no criterion.`),
        ),
    ),
  ];
}

export interface OptionTotal {
  readonly option: string;
  readonly total: number;
}

/** A missing score counts as zero. */
export function computeWeightedTotals(spec: ResearchSpec): OptionTotal[] {
  return spec.options
    .map(({ name: option }) => ({
      option,
      total: spec.matrix.criteria.reduce(
        (total, { name, weight = 0 }) => total + weight * (findOptionScore(spec, option, name) ?? 0),
        0,
      ),
    }))
    .toSorted((a, b) => b.total - a.total);
}

function findOptionScore({ matrix: { scores } }: ResearchSpec, option: string, criterion: string): number | undefined {
  const row = Object.hasOwn(scores, option) ? scores[option] : undefined;
  return row && Object.hasOwn(row, criterion) ? row[criterion] : undefined;
}

/** Recommending an option with a lower total requires a rationale that names the best one. */
export function checkRecommendation({ spec, tree }: ResearchDocument): SpecProblem[] {
  const { option, rationale = "" } = spec.recommendation;
  const [best] = computeWeightedTotals(spec);
  const names = spec.options.map(({ name }) => name);
  const place = ["recommendation", "option"];
  const chosen = computeWeightedTotals(spec).find((total) => total.option === option);
  const decided = spec.decision.option;
  return [
    ...(option === undefined ? [createSpecProblem(tree, place, "No option is recommended.")] : []),
    ...(rationale.trim() === ""
      ? [createSpecProblem(tree, ["recommendation"], "The recommendation does not say why.")]
      : []),
    ...(option !== undefined && !names.includes(option)
      ? [createSpecProblem(tree, place, `${quote(option, 60)} is recommended, but is no option.`)]
      : []),
    ...(chosen && best && chosen.total < best.total && !rationale.includes(best.option)
      ? [
          createSpecProblem(
            tree,
            place,
            `${quote(best.option, 60)} scores ${best.total} and ${quote(chosen.option, 60)} ${chosen.total}: the rationale must name ${quote(best.option, 60)} and say why not.`,
          ),
        ]
      : []),
    ...(decided !== undefined && !names.includes(decided)
      ? [createSpecProblem(tree, ["decision", "option"], `${quote(decided, 60)} was decided for, but is no option.`)]
      : []),
  ];
}
