import { formatCount, quote } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { isWorkflowId } from "#kernel/model/workflow-id.ts";
import type { LocatedNode, YamlPath } from "#kernel/model/yaml-tree.ts";
import { formatYamlPath, iterateYamlScalars, readYamlText } from "#kernel/model/yaml-tree.ts";
import type { ResearchSpec } from "./spec-schemas.ts";
import { explainUntestable, isMeasurableTarget, isMeasurableText, parseGivenWhenThen } from "./criterion-sentence.ts";
import type { SpecDepth } from "./field-shapes.ts";
import type { AnySpec, SpecDocument, SpecProblem, SpecReadResult } from "./spec-reader.ts";
import { createSpecProblem, findMissingFields } from "./spec-reader.ts";
import type { DocumentCheck } from "../workflow/workflow-record.ts";

export function checkSpecDocument(
  document: SpecDocument,
  depth: SpecDepth,
  knownIds: ReadonlySet<string>,
): SpecProblem[] {
  if (depth === "draft") return [];
  const missing = findMissingFields(document);
  // A missing or unfinished field is reported once, not again by other checks.
  const open = [...missing, ...withoutReported(checkUnfinishedMarkers(document.tree), missing)];
  const rest = KIND_CHECKS.flatMap((check) => check(document, knownIds));
  return [...open, ...withoutReported(rest, open)].toSorted((a, b) => a.line - b.line);
}

const withoutReported = (problems: readonly SpecProblem[], reported: readonly SpecProblem[]): SpecProblem[] =>
  problems.filter(({ field }) => !reported.some((one) => field === one.field || field.startsWith(`${one.field}.`)));

/** All problems of a spec: those that make it unreadable, and those of its readable rest. */
export function listSpecProblems(
  { document, partial, problems }: Pick<SpecReadResult, "document" | "partial" | "problems">,
  depth: SpecDepth,
  knownIds: ReadonlySet<string>,
): SpecProblem[] {
  const readable = document ?? partial;
  const broken = problems.map(({ field }) => field);
  const isTold = ({ field }: SpecProblem): boolean =>
    broken.some(
      (each) => field === each || field.startsWith(`${each}.`) || (each !== "" && each.startsWith(`${field}.`)),
    );
  const found = readable ? checkSpecDocument(readable, depth, knownIds).filter((each) => !isTold(each)) : [];
  return [...problems, ...found].toSorted((a, b) => a.line - b.line);
}

type SpecOfKind<Kind extends AnySpec["type"]> = Extract<AnySpec, { readonly type: Kind }>;

export const isSpecOfKind = <Kind extends AnySpec["type"]>(
  kind: Kind,
  document: SpecDocument,
): document is SpecDocument<SpecOfKind<Kind>> => document.spec.type === kind;

type ReportProblem = (place: YamlPath, problem: string) => void;
type SpecCheck = (document: SpecDocument, knownIds: ReadonlySet<string>) => SpecProblem[];

const defineCheck =
  <Kind extends AnySpec["type"]>(
    kind: Kind,
    check: (spec: SpecOfKind<Kind>, report: ReportProblem, knownIds: ReadonlySet<string>) => void,
  ): SpecCheck =>
  (document, knownIds) => {
    const problems: SpecProblem[] = [];
    if (isSpecOfKind(kind, document)) {
      const report: ReportProblem = (place, problem) => problems.push(createSpecProblem(document.tree, place, problem));
      check(document.spec, report, knownIds);
    }
    return problems;
  };

const checkFeatureCriteria = defineCheck("feature", ({ acceptance_criteria: criteria }, report) => {
  if (criteria.length === 0) report(["acceptance_criteria"], "The spec has no acceptance criterion.");
  for (const [i, criterion] of criteria.entries()) {
    const place = ["acceptance_criteria", i];
    for (const why of explainUntestable(criterion)) report(place, `${criterion.id} ${why}.`);
    if (criterion.testable === "false") report([...place, "testable"], `${criterion.id} is marked as not testable.`);
  }
});

const checkSuccessCriteria = defineCheck("feature", ({ success_criteria: criteria }, report) => {
  if (criteria.length === 0) report(["success_criteria"], "The spec has no success criterion.");
  for (const [i, criterion] of criteria.entries()) {
    const isSentence = typeof criterion === "string";
    const text = isSentence ? criterion : (criterion.target ?? "");
    if (isSentence ? isMeasurableText(text) : isMeasurableTarget(text)) continue;
    const problem = `${quote(text, 60)} cannot be measured: give a number and a unit, such as 95 % or 200 ms.`;
    report(["success_criteria", i], problem);
  }
});

const checkApiContracts = defineCheck("feature", ({ api_contracts: contracts = [] }, report) => {
  if (Array.isArray(contracts)) {
    const problem = "No contract is listed; where there is none, write api_contracts: {none: the reason}.";
    if (contracts.length === 0) report(["api_contracts"], problem);
  } else if ((contracts.none ?? "").trim().split(/\s+/).length < 3) {
    report(["api_contracts"], "There are no contracts, and no reason why: write none: and the reason.");
  }
});

const checkTestScenarios = defineCheck("feature", ({ acceptance_criteria, test_scenarios }, report) => {
  const covered = new Set(test_scenarios.flatMap((scenario) => scenario.covers));
  for (const [i, { id }] of acceptance_criteria.entries())
    if (!covered.has(id)) report(["acceptance_criteria", i], `No test scenario covers ${id}.`);
  for (const [i, { id, covers }] of test_scenarios.entries())
    if (covers.length === 0) report(["test_scenarios", i], `${id} covers no criterion.`);
});

/** A dependency in id form must name another existing spec. */
const checkSpecDependencies = defineCheck("feature", (spec, report, knownIds) => {
  for (const [i, dependency] of spec.dependencies.entries()) {
    if (!isWorkflowId(dependency)) continue;
    if (dependency === spec.id) report(["dependencies", i], `${dependency} depends on itself.`);
    else if (!knownIds.has(dependency)) report(["dependencies", i], `The spec ${dependency} does not exist.`);
  }
});

const MIN_REPRODUCTION_STEPS = 3;
const MIN_FIX_CRITERIA = 2;
const TEST_NAME_PATTERN = /\btests?\b|\btest[_-]\w|\w[_-]test\b|\.(?:test|spec)\.|\bTest[A-Z]|\bspecs?\b/i;

const checkBugReproduction = defineCheck("bug", ({ symptom }, report) => {
  const steps = symptom.reproduction.length;
  if (steps >= MIN_REPRODUCTION_STEPS) return;
  const given = steps === 0 ? "No step is given" : `Only ${formatCount(steps, "step")}`;
  report(["symptom", "reproduction"], `${given}: a reproduction takes at least ${MIN_REPRODUCTION_STEPS}.`);
});

const checkRootCause = defineCheck("bug", ({ investigation }, report) => {
  const { root_cause = "", affected_components } = investigation;
  if (root_cause.trim().split(/\s+/).length < 3)
    report(["investigation", "root_cause"], "The root cause is not explained: write what fails, where and why.");
  if (affected_components.length === 0)
    report(["investigation", "affected_components"], "No affected component is named.");
});

const checkFixCriteria = defineCheck("bug", ({ fix_approach }, report) => {
  const place = ["fix_approach", "acceptance_criteria"];
  const criteria = fix_approach.acceptance_criteria;
  if (criteria.length < MIN_FIX_CRITERIA)
    report(place, `There must be at least ${MIN_FIX_CRITERIA} acceptance criteria, not ${criteria.length}.`);
  for (const [i, criterion] of criteria.entries())
    for (const why of explainUntestable(parseGivenWhenThen(criterion)))
      report([...place, i], `${quote(criterion, 60)} ${why}.`);
});

const checkRegressionPlan = defineCheck("bug", ({ regression_prevention }, report) => {
  if (regression_prevention.some((entry) => TEST_NAME_PATTERN.test(entry))) return;
  const problem =
    'No entry names a test: write "test" and its name, such as "Add test: test_expired_token_returns_401()".';
  report(["regression_prevention"], problem);
});

const MIN_RESEARCH_OPTIONS = 2;
const MAX_RESEARCH_OPTIONS = 4;

const checkResearchOptions = defineCheck("research", ({ options }, report) => {
  const { length } = options;
  const range = `${MIN_RESEARCH_OPTIONS} to ${MAX_RESEARCH_OPTIONS}`;
  if (length < MIN_RESEARCH_OPTIONS || length > MAX_RESEARCH_OPTIONS)
    report(["options"], `There must be ${range} options, not ${length}.`);
  const seen = new Set<string>();
  for (const [i, option] of options.entries()) {
    const name = quote(option.name, 60);
    if (seen.has(option.name)) report(["options", i], `Two options are called ${name}.`);
    seen.add(option.name);
    for (const side of ["pros", "cons"] as const)
      if (option[side].length === 0) report(["options", i], `${name} has no ${side}.`);
    if (option.cost === undefined) report(["options", i], `${name} has no cost.`);
  }
});

const checkDecisionMatrix = defineCheck("research", (spec, report) => {
  const { criteria, scores } = spec.matrix;
  const names = criteria.map(({ name }) => name);
  const options = spec.options.map(({ name }) => name);
  const place = ["matrix", "scores"];
  if (names.length === 0) report(["matrix", "criteria"], "The matrix has no criterion.");
  else if (criteria.every(({ weight = 0 }) => weight === 0))
    report(["matrix", "criteria"], "No criterion has a weight.");
  for (const option of options)
    for (const name of names)
      if (findOptionScore(spec, option, name) === undefined)
        report([...place, option], `${quote(option, 60)} has no score for ${quote(name, 60)}.`);
  for (const option of Object.keys(scores))
    if (!options.includes(option)) report([...place, option], `${quote(option, 60)} has scores, but is not an option.`);
  for (const [option, row] of Object.entries(scores))
    for (const name of Object.keys(row))
      if (!names.includes(name))
        report([...place, option, name], `${quote(name, 60)} has a score, but is not a criterion.`);
});

/** A missing score counts as zero. */
export function computeWeightedTotals(spec: ResearchSpec): { option: string; total: number }[] {
  return spec.options
    .map(({ name: option }) => {
      const scores = spec.matrix.criteria.map(
        ({ name, weight = 0 }) => weight * (findOptionScore(spec, option, name) ?? 0),
      );
      return { option, total: scores.reduce((total, score) => total + score, 0) };
    })
    .toSorted((a, b) => b.total - a.total);
}

export function findOptionScore(
  { matrix: { scores } }: ResearchSpec,
  option: string,
  criterion: string,
): number | undefined {
  const row = Object.hasOwn(scores, option) ? scores[option] : undefined;
  return row && Object.hasOwn(row, criterion) ? row[criterion] : undefined;
}

/** Recommending an option with a lower total requires a rationale that names the best one. */
const checkRecommendation = defineCheck("research", (spec, report) => {
  const { option, rationale = "" } = spec.recommendation;
  const decided = spec.decision.option;
  const totals = computeWeightedTotals(spec);
  const [best] = totals;
  const chosen = totals.find((total) => total.option === option);
  const isOption = (name: string): boolean => spec.options.some((each) => each.name === name);
  const place = ["recommendation", "option"];
  if (option === undefined) report(place, "No option is recommended.");
  if (rationale.trim() === "") report(["recommendation"], "The recommendation does not say why.");
  if (option !== undefined && !isOption(option))
    report(place, `${quote(option, 60)} is recommended, but is not an option.`);
  if (chosen && best && chosen.total < best.total && !rationale.includes(best.option)) {
    const [first, second] = [quote(best.option, 60), quote(chosen.option, 60)];
    const scores = `${first} scores ${best.total} and ${second} ${chosen.total}`;
    report(place, `${scores}: the rationale must name ${first} and explain why not.`);
  }
  if (decided !== undefined && !isOption(decided))
    report(["decision", "option"], `${quote(decided, 60)} was chosen, but is not an option.`);
});

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
export const checkUnfinishedMarkers = (tree: LocatedNode): SpecProblem[] =>
  [...iterateYamlScalars(tree)].flatMap(({ node, place }) => {
    const text = readYamlText(node) ?? "";
    const marker = UNFINISHED_MARKERS.map((each) => each.exec(text)?.[0].trim()).find((found) => found !== undefined);
    const field = formatYamlPath(place);
    const problem = `${field} is not filled in yet: ${quote(marker ?? "", 60)}.`;
    return marker === undefined ? [] : [{ problem, line: node.line, field }];
  });

const KIND_CHECKS: readonly SpecCheck[] = [
  checkFeatureCriteria,
  checkSuccessCriteria,
  checkApiContracts,
  checkTestScenarios,
  checkSpecDependencies,
  checkBugReproduction,
  checkRootCause,
  checkFixCriteria,
  checkRegressionPlan,
  checkResearchOptions,
  checkDecisionMatrix,
  checkRecommendation,
];

/** Reports unfinished fields of a part, and problems of its other fields. */
const createPartCheck =
  (part: RegExp, check: SpecCheck = () => []): SpecCheck =>
  (document, knownIds) => {
    const open = checkUnfinishedMarkers(document.tree).filter(({ field }) => part.test(field));
    return [...withoutReported(check(document, knownIds), open), ...open];
  };

/** A check that does not apply to a kind of spec passes. No gate asks for one. */
export const SPEC_CHECKS: Readonly<
  Record<
    Exclude<DocumentCheck, "spec-draft" | "spec-unchanged">,
    readonly ((...args: Parameters<SpecCheck>) => readonly Problem[])[]
  >
> = {
  "spec-valid": [(document, knownIds) => checkSpecDocument(document, "complete", knownIds)],
  summary: [createPartCheck(/^(?:title|summary|symptom\.description)$/)],
  "no-markers": [({ tree }) => checkUnfinishedMarkers(tree)],
  "criteria-testable": [checkFeatureCriteria, checkFixCriteria],
  "success-measurable": [checkSuccessCriteria],
  contracts: [checkApiContracts],
  scenarios: [checkTestScenarios],
  dependencies: [checkSpecDependencies],
  reproduction: [createPartCheck(/^symptom\b/, checkBugReproduction)],
  "root-cause": [createPartCheck(/^investigation\b/, checkRootCause)],
  "regression-plan": [checkRegressionPlan],
  options: [createPartCheck(/^options\b/, checkResearchOptions)],
  matrix: [checkDecisionMatrix],
  recommendation: [checkRecommendation],
};
