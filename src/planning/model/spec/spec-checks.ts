import type { BugSpec, ResearchSpec } from "./bug-research-specs.ts";
import {
  checkSchemaConformance,
  type SpecProblem,
  SPEC_SCHEMAS,
  type AnySpec,
  type SpecDocument,
  createSpecProblem,
} from "./spec-reader.ts";
import type { FeatureSpec } from "./feature-spec.ts";
import type { SpecDepth } from "./field-shapes.ts";
import { isWorkflowId } from "#kernel/model/workflow-id.ts";
import { quote, formatCount } from "#kernel/model/text-format.ts";
import { isMeasurableText, isMeasurableTarget, explainUntestable, parseGivenWhenThen } from "./criterion-sentence.ts";
import {
  type LocatedNode,
  formatYamlPath,
  type YamlPath,
  iterateYamlScalars,
  readYamlText,
} from "#kernel/model/yaml-tree.ts";

export function checkSpecDocument(
  document: SpecDocument,
  depth: SpecDepth,
  knownIds: ReadonlySet<string>,
): SpecProblem[] {
  if (depth === "draft") return [];
  const { spec, tree } = document;
  const missing = checkSchemaConformance(tree, SPEC_SCHEMAS[spec.type], depth).problems;
  // A missing field is reported once, not again by the checks of its parts.
  const told = missing.map((problem) => problem.field);
  const rest = [...checkUnfinishedMarkers(tree), ...checkSpecKind(document, knownIds)].filter(
    ({ field }) => !told.some((gone) => field === gone || field.startsWith(`${gone}.`)),
  );
  return [...missing, ...rest].toSorted((a, b) => a.line - b.line);
}

function checkSpecKind(document: SpecDocument, knownIds: ReadonlySet<string>): SpecProblem[] {
  if (isSpecOfKind("feature", document)) {
    return [
      ...checkFeatureCriteria(document),
      ...checkSuccessCriteria(document),
      ...checkApiContracts(document),
      ...checkTestScenarios(document),
      ...checkSpecDependencies(document, knownIds),
    ];
  }
  if (isSpecOfKind("bug", document)) {
    return [
      ...checkBugReproduction(document),
      ...checkRootCause(document),
      ...checkFixCriteria(document),
      ...checkRegressionPlan(document),
    ];
  }
  if (!isSpecOfKind("research", document)) return [];
  return [...checkResearchOptions(document), ...checkDecisionMatrix(document), ...checkRecommendation(document)];
}

interface SpecsByKind {
  readonly feature: FeatureSpec;
  readonly bug: BugSpec;
  readonly research: ResearchSpec;
}

export function isSpecOfKind<Kind extends AnySpec["type"]>(
  kind: Kind,
  document: SpecDocument,
): document is SpecDocument<SpecsByKind[Kind]> {
  return document.spec.type === kind;
}

type FeatureDocument = SpecDocument<FeatureSpec>;

export function checkFeatureCriteria({ spec, tree }: FeatureDocument): SpecProblem[] {
  const criteria = spec.acceptance_criteria;
  if (criteria.length === 0)
    return [createSpecProblem(tree, ["acceptance_criteria"], "There is no acceptance criterion.")];
  return criteria.flatMap((criterion, i) => [
    ...explainUntestable(criterion).map((why) =>
      createSpecProblem(tree, ["acceptance_criteria", i], `${criterion.id} ${why}.`),
    ),
    ...(criterion.testable === "false"
      ? [createSpecProblem(tree, ["acceptance_criteria", i, "testable"], `${criterion.id} is marked as not testable.`)]
      : []),
  ]);
}

export function checkSuccessCriteria({ spec, tree }: FeatureDocument): SpecProblem[] {
  if (spec.success_criteria.length === 0) {
    return [createSpecProblem(tree, ["success_criteria"], "There is no success criterion.")];
  }
  return spec.success_criteria.flatMap((criterion, i) => {
    const isSaid =
      typeof criterion === "string" ? isMeasurableText(criterion) : isMeasurableTarget(criterion.target ?? "");
    const text = typeof criterion === "string" ? criterion : (criterion.target ?? "");
    if (isSaid) return [];
    const problem = `${quote(text, 60)} cannot be measured: say a number and its unit, such as 95 % or 200 ms.`;
    return [createSpecProblem(tree, ["success_criteria", i], problem)];
  });
}

export function checkApiContracts({ spec, tree }: FeatureDocument): SpecProblem[] {
  const contracts = spec.api_contracts;
  if (contracts !== undefined && !Array.isArray(contracts)) {
    const { none = "" } = contracts as { readonly none?: string };
    if (none.trim().split(/\s+/).length >= 3) return [];
    return [
      createSpecProblem(
        tree,
        ["api_contracts"],
        "There are no contracts, and no reason why: write none: and the reason.",
      ),
    ];
  }
  if (contracts !== undefined && contracts.length > 0) return [];
  const problem = "No contract is listed; where there is none, write api_contracts: {none: the reason}.";
  return [createSpecProblem(tree, ["api_contracts"], problem)];
}

export function checkTestScenarios({ spec, tree }: FeatureDocument): SpecProblem[] {
  const covered = new Set(spec.test_scenarios.flatMap((scenario) => scenario.covers));
  return [
    ...spec.acceptance_criteria.flatMap(({ id }, i) =>
      covered.has(id) ? [] : [createSpecProblem(tree, ["acceptance_criteria", i], `No test scenario covers ${id}.`)],
    ),
    ...spec.test_scenarios.flatMap(({ id, covers }, i) =>
      covers.length > 0 ? [] : [createSpecProblem(tree, ["test_scenarios", i], `${id} covers no criterion.`)],
    ),
  ];
}

/** A dependency in id form must name another existing spec. */
export function checkSpecDependencies({ spec, tree }: FeatureDocument, knownIds: ReadonlySet<string>): SpecProblem[] {
  return spec.dependencies.flatMap((dependency, i) => {
    if (!isWorkflowId(dependency)) return [];
    const place = ["dependencies", i];
    if (dependency === spec.id) return [createSpecProblem(tree, place, `${dependency} depends on itself.`)];
    return knownIds.has(dependency) ? [] : [createSpecProblem(tree, place, `There is no spec ${dependency}.`)];
  });
}

type BugDocument = SpecDocument<BugSpec>;

const MIN_REPRODUCTION_STEPS = 3;
const MIN_FIX_CRITERIA = 2;
const TEST_NAME_PATTERN = /\btests?\b|\btest[_-]\w|\w[_-]test\b|\.(?:test|spec)\.|\bTest[A-Z]|\bspecs?\b/i;

export function checkBugReproduction({ spec, tree }: BugDocument): SpecProblem[] {
  const steps = spec.symptom.reproduction.length;
  if (steps >= MIN_REPRODUCTION_STEPS) return [];
  const problem = `${steps === 0 ? "No step is given" : `Only ${formatCount(steps, "step")}`}: a reproduction takes at least ${MIN_REPRODUCTION_STEPS}.`;
  return [createSpecProblem(tree, ["symptom", "reproduction"], problem)];
}

export function checkRootCause({ spec, tree }: BugDocument): SpecProblem[] {
  const { root_cause = "", affected_components } = spec.investigation;
  return [
    ...(root_cause.trim().split(/\s+/).length >= 3
      ? []
      : [
          createSpecProblem(
            tree,
            ["investigation", "root_cause"],
            "The root cause is not explained: say what fails, where and why.",
          ),
        ]),
    ...(affected_components.length > 0
      ? []
      : [createSpecProblem(tree, ["investigation", "affected_components"], "No affected component is named.")]),
  ];
}

export function checkFixCriteria({ spec, tree }: BugDocument): SpecProblem[] {
  const place = ["fix_approach", "acceptance_criteria"];
  const criteria = spec.fix_approach.acceptance_criteria;
  return [
    ...(criteria.length >= MIN_FIX_CRITERIA
      ? []
      : [
          createSpecProblem(
            tree,
            place,
            `There must be at least ${MIN_FIX_CRITERIA} acceptance criteria, not ${criteria.length}.`,
          ),
        ]),
    ...criteria.flatMap((criterion, i) =>
      explainUntestable(parseGivenWhenThen(criterion)).map((why) =>
        createSpecProblem(tree, [...place, i], `${quote(criterion, 60)} ${why}.`),
      ),
    ),
  ];
}

export function checkRegressionPlan({ spec, tree }: BugDocument): SpecProblem[] {
  if (spec.regression_prevention.some((entry) => TEST_NAME_PATTERN.test(entry))) return [];
  const problem =
    'No entry names a test: say "test" and its name, such as "Add test: test_expired_token_returns_401()".';
  return [createSpecProblem(tree, ["regression_prevention"], problem)];
}

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

/** Markers of unfinished text. "todo" counts only in capitals or as a label, because "to-do list" is ordinary text. */
const UNFINISHED_MARKERS: readonly RegExp[] = [
  /\[\s?needs[ _-]clarification[^\]]{0,200}\]?/i,
  /\bNEEDS[ _-]CLARIFICATION\b/,
  /\bTBD\b/i,
  /\bFIXME\b/i,
  /\bTODO\b/,
  /^\s{0,10}todo\b\s{0,10}(?::|$)|[[(]todo\b/i,
  /\?{3}/,
  /(?:^|\s)(?:…|\.\.\.)(?=$|[\s.,;:)])/,
];

/** Checks values only, not keys or comments. */
export function checkUnfinishedMarkers(tree: LocatedNode): SpecProblem[] {
  return [...iterateYamlScalars(tree)].flatMap(({ node, place }) => {
    const found = findUnfinishedMarker(readYamlText(node) ?? "");
    return found === undefined ? [] : [createUnfinishedProblem(found, node.line, place)];
  });
}

function findUnfinishedMarker(text: string): string | undefined {
  for (const marker of UNFINISHED_MARKERS) {
    const found = marker.exec(text);
    if (found) return found[0].trim();
  }
  return undefined;
}

const createUnfinishedProblem = (marker: string, line: number, place: YamlPath): SpecProblem => ({
  problem: `${formatYamlPath(place)} is still open: it says ${quote(marker, 60)}.`,
  line,
  field: formatYamlPath(place),
});
